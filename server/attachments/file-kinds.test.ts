// Files are accepted by their content alone: what they are, and what is refused because it would run or is two things.
import { describe, expect, test } from 'vitest';
import { pixel, wordFile } from '#tests/support/files.ts';
import { zip } from '../export/zip.ts';
import { judgeFile } from './file-kinds.ts';

const judged = async (bytes: Buffer | string, name = 'a') => judgeFile(Buffer.from(bytes as string), name);
const pdf = '%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n';
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffd9', 'hex');
const gif = Buffer.from(
  '47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b',
  'hex',
);
const webp = Buffer.concat([Buffer.from('RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0', 'latin1'), Buffer.alloc(20)]);
const odt = (mimetype: string, more: [string, string][] = []) =>
  zip([['mimetype', mimetype], ['content.xml', '<x/>'], ...more]);
const macroMain = 'application/vnd.ms-word.document.macroEnabled.main+xml';
const office = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

describe('a file is', () => {
  test.for<[what: string, bytes: Buffer | string, type: string]>([
    ['a PNG', pixel, 'image/png'],
    ['a JPEG', jpeg, 'image/jpeg'],
    ['a GIF', gif, 'image/gif'],
    ['a WebP', webp, 'image/webp'],
    ['a PDF', pdf, 'application/pdf'],
    ['text', 'Пример, 例, ñ\r\n\tx', 'text/plain'],
    ['empty lines and a tag later', '\nHello <script>', 'text/plain'],
    ['text of an old encoding', Buffer.from([0xcf, 0xf0, 0xe8, 0xec, 0xe5, 0xf0, 0x0d, 0x0a]), 'text/plain'],
    ['text in UTF-16', Buffer.from('\ufeffПример', 'utf16le'), 'text/plain'],
  ])('%s', async ([, bytes, type]) => {
    expect(await judged(bytes)).toMatchObject({ type });
  });

  test('a document of Word or of LibreOffice', async () => {
    expect(await judged(await wordFile(), 'Plan.docx')).toEqual({ type: office, name: 'Plan.docx' });
    const type = 'application/vnd.oasis.opendocument.text';
    expect(await judged(await odt(type), 'Plan.odt')).toEqual({ type, name: 'Plan.odt' });
  });
});

describe('its name', () => {
  test.for([
    ['photo.png', 'photo.png'],
    ['photo.JPG', 'photo.JPG.png'],
    ['page.html', 'page.html.png'],
    ['run.exe', 'run.exe.png'],
    ['C:\\folder\\..\\photo.png', 'photo.png'],
    ['\u202egnp.exe', 'gnp.exe.png'],
    ['', 'file.png'],
    ['.png', '.png.png'],
  ])('%s becomes %s', async ([sent, name]) => {
    expect((await judged(pixel, sent))?.name).toBe(name);
  });

  test('stays within its length', async () => {
    const { name = '' } = (await judged(pixel, `${'a'.repeat(300)}.txt`)) ?? {};
    expect(name).toMatch(/^a+\.png$/);
    expect(name.length).toBeLessThanOrEqual(200);
  });
});

describe('refused is', () => {
  test.for<[what: string, bytes: Buffer | string]>([
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['a page behind spaces and a byte order mark', '\ufeff \n<HTML><body onload=alert(1)>'],
    ['a picture that acts', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['a picture that acts, with a declaration', '<?xml version="1.0"?><svg/>'],
    ['a script', '#!/bin/sh\nrm -rf ~'],
    ['a program', Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(500)])],
    ['RTF, which holds objects', '{\\rtf1\\object}'],
    ['an old Office document, whose macros nobody sees', Buffer.from('d0cf11e0a1b11ae1000000000000', 'hex')],
    ['a PDF behind a page', `<html>${pdf}`],
    ['a PDF behind text', `hello\n${pdf}\0`],
    ['a PDF without its end', '%PDF-1.7\n1 0 obj\n\0'],
    ['a PNG without a size', pixel.subarray(0, 20)],
    ['a PNG of nothing', Buffer.concat([pixel.subarray(0, 16), Buffer.alloc(8), pixel.subarray(24)])],
    ['a JPEG that is a head alone', Buffer.from('ffd8ffe0', 'hex')],
    ['text with controls', 'a\0b'],
    ['nothing known', Buffer.from([1, 2, 3, 4, 5])],
    ['a plain zip that is damaged', 'PK\x03\x04 and no more'],
  ])('%s', async ([, bytes]) => {
    expect(await judged(bytes, 'photo.png')).toBeNull();
  });

  test('a picture that takes a gigabyte to draw', async () => {
    const huge = Buffer.from(pixel);
    huge.writeUInt32BE(20_000, 16);
    huge.writeUInt32BE(20_000, 20);
    expect(await judged(huge)).toBeNull();
  });

  test('a zip of something else', async () => {
    expect(await judged(await zip([['a.txt', 'a']]))).toBeNull();
    expect(await judged(await odt('application/zip'))).toBeNull();
  });

  test('a document with macros or objects, whatever it says of itself', async () => {
    expect(await judged(await wordFile({}, macroMain))).toBeNull();
    for (const part of [
      'word/vbaProject.bin',
      'word/activeX/activeX1.xml',
      'word/embeddings/oleObject1.bin',
      'a/run.JS',
    ])
      expect(await judged(await wordFile({ [part]: 'x' })), part).toBeNull();
    const type = 'application/vnd.oasis.opendocument.text';
    for (const part of ['Basic/Standard/Module1.xml', 'Scripts/python/a.py'])
      expect(await judged(await odt(type, [[part, 'x']])), part).toBeNull();
  });

  test('a document that two readers read differently', async () => {
    const plain = await wordFile();
    expect(await judged(Buffer.concat([pixel, plain]))).toMatchObject({ type: 'image/png' });
    expect(await judged(Buffer.concat([plain, Buffer.from('<html>')]))).toBeNull();
    expect(await judged(await wordFile({ 'WORD/document.xml': 'x' }))).toBeNull();
    const encrypted = Buffer.from(plain);
    const entry = encrypted.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    encrypted.writeUInt16LE(encrypted.readUInt16LE(entry + 8) | 1, entry + 8);
    expect(await judged(encrypted)).toBeNull();
  });

  test('a document that unpacks to far more than it is, also where it lies about that', async () => {
    const zeros = Buffer.alloc(120 * 1024 * 1024);
    const bomb = await wordFile({ 'word/media/1': zeros, 'word/media/2': zeros, 'word/media/3': zeros });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    expect(await judged(bomb)).toBeNull();
    // Sizes that the directory gives are not believed.
    for (
      let at = bomb.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
      at >= 0;
      at = bomb.indexOf(Buffer.from([0x50, 0x4b, 1, 2]), at + 4)
    )
      bomb.writeUInt32LE(1, at + 24);
    expect(await judged(bomb)).toBeNull();
    const damaged = await wordFile({ 'word/media/1': 'some words that are packed' });
    damaged.fill(0xff, damaged.indexOf('word/media/1') + 12, damaged.indexOf('word/media/1') + 20);
    expect(await judged(damaged)).toBeNull();
  });

  test('a document of too many parts', async () => {
    const many = Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`a/${i}`, '']));
    expect(await judged(await wordFile(many))).toBeNull();
  });
});
