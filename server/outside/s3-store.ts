import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  NoSuchUpload,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
  type CompletedPart,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Config } from '../config.ts';
import {
  addressSeconds,
  areAll,
  checkKey,
  Incomplete,
  isKey,
  notTaken,
  placeOf,
  usualPartBytes,
  type Begun,
  type Part,
  type Store,
} from './store.ts';

export type S3Config = NonNullable<Config['s3']>;

/** Store in an S3 bucket. Browsers upload parts and play files directly, each time by a signed address. */
export function s3Store(
  { bucket, region, endpoint, pathStyle, accessKeyId, secretAccessKey }: S3Config,
  { partBytes = usualPartBytes }: { partBytes?: number } = {},
): Store & { close(): void } {
  const client = new S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    forcePathStyle: pathStyle,
    credentials: { accessKeyId, secretAccessKey },
    // Some servers do not support the checksums that the client adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 5,
  });
  const at = (key: string) => ({ Bucket: bucket, Key: checkKey(key) });
  const upload = ({ key, reference }: Pick<Begun, 'key' | 'reference'>) => ({ ...at(key), UploadId: reference });

  async function size(key: string): Promise<number | null> {
    try {
      return (await client.send(new HeadObjectCommand(at(key)))).ContentLength ?? 0;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Null if the upload no longer exists. */
  async function listed(begun: Begun): Promise<(Part & { etag: string })[] | null> {
    const found: (Part & { etag: string })[] = [];
    let after: string | undefined;
    do {
      const page = await client
        .send(new ListPartsCommand({ ...upload(begun), ...(after ? { PartNumberMarker: after } : {}) }))
        .catch((error: unknown) => {
          if (isMissing(error)) return null;
          throw error;
        });
      if (!page) return null;
      for (const { PartNumber = 0, Size = 0, ETag = '', ChecksumSHA256 } of page.Parts ?? [])
        found.push({
          number: PartNumber,
          bytes: Size,
          sha256: ChecksumSHA256 ? Buffer.from(ChecksumSHA256, 'base64') : null,
          etag: ETag,
        });
      after = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (after);
    return found.toSorted((one, other) => one.number - other.number);
  }

  const read = async (key: string, range?: { from: number; to: number }): Promise<Readable> => {
    const wanted = range ? { Range: `bytes=${range.from}-${range.to}` } : {};
    const { Body } = await client.send(new GetObjectCommand({ ...at(key), ...wanted }));
    return Body as Readable;
  };

  async function finish(begun: Pick<Begun, 'key' | 'reference'>, parts: CompletedPart[]): Promise<void> {
    await client
      .send(new CompleteMultipartUploadCommand({ ...upload(begun), MultipartUpload: { Parts: parts } }))
      .catch((error: unknown) => {
        throw isAboutTheFile(error) ? notTaken(error.name, error) : error;
      });
  }

  const abort = async (begun: Pick<Begun, 'key' | 'reference'>): Promise<void> => {
    await client.send(new AbortMultipartUploadCommand(upload(begun))).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  };

  return {
    async put(key, content) {
      const hash = createHash('sha256');
      const sent: CompletedPart[] = [];
      let reference: string | null = null;
      let bytes = 0;
      const sendPart = async (body: Buffer) => {
        reference ??= (await client.send(new CreateMultipartUploadCommand(at(key)))).UploadId ?? '';
        const number = sent.length + 1;
        const { ETag = '' } = await client.send(
          new UploadPartCommand({ ...upload({ key, reference }), PartNumber: number, Body: body }),
        );
        sent.push({ PartNumber: number, ETag });
      };
      try {
        let waiting: Buffer[] = [];
        let length = 0;
        for await (const chunk of content as AsyncIterable<Buffer>) {
          hash.update(chunk);
          bytes += chunk.length;
          waiting.push(chunk);
          length += chunk.length;
          if (length < partBytes) continue;
          await sendPart(Buffer.concat(waiting));
          waiting = [];
          length = 0;
        }
        const rest = Buffer.concat(waiting);
        if (reference === null) await client.send(new PutObjectCommand({ ...at(key), Body: rest }));
        else {
          if (rest.length > 0) await sendPart(rest);
          await finish({ key, reference }, sent);
        }
      } catch (error) {
        if (reference !== null) await abort({ key, reference }).catch(() => {});
        throw error;
      }
      return { bytes, sha256: hash.digest() };
    },
    size,
    read,
    free: () => Promise.resolve(null),
    async *keys() {
      let after: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, ...(after ? { ContinuationToken: after } : {}) }),
        );
        yield* (page.Contents ?? []).map(({ Key = '' }) => Key).filter(isKey);
        after = page.IsTruncated ? page.NextContinuationToken : undefined;
      } while (after);
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(at(key))).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key }));
      for (const one of Uploads) if (one.Key === key) await abort({ key, reference: one.UploadId ?? '' });
    },

    partBytes,
    async begin(key, bytes) {
      const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(at(key)));
      return { key, reference: UploadId, bytes, partBytes };
    },
    async partAddress(begun, number, sha256) {
      const digest = sha256?.toString('base64');
      const order = new UploadPartCommand({
        ...upload(begun),
        PartNumber: number,
        ContentLength: placeOf(begun, number).length,
        ...(digest === undefined ? {} : { ChecksumSHA256: digest }),
      });
      // Signed as headers instead of query parameters, because only then the bucket enforces them.
      const bound = new Set(['content-length', ...(digest === undefined ? [] : ['x-amz-checksum-sha256'])]);
      const url = await getSignedUrl(client, order, {
        expiresIn: addressSeconds.part,
        unhoistableHeaders: bound,
        signableHeaders: new Set(['host', ...bound]),
      });
      return { url, headers: digest === undefined ? {} : { 'x-amz-checksum-sha256': digest } };
    },
    async parts(begun) {
      const found = (await listed(begun)) ?? [];
      return found.map(({ number, bytes, sha256 }) => ({ number, bytes, sha256 }));
    },
    async complete(begun) {
      const parts = await listed(begun);
      if (!parts) {
        if ((await size(begun.key)) === begun.bytes) return;
        throw new Incomplete();
      }
      if (!areAll(begun, parts)) throw new Incomplete();
      await finish(
        begun,
        parts.map(({ number, etag, sha256 }) => ({
          PartNumber: number,
          ETag: etag,
          ...(sha256 ? { ChecksumSHA256: sha256.toString('base64') } : {}),
        })),
      ).catch(async (error: unknown) => {
        // Another process may have completed the upload.
        if (!isMissing(error) || (await size(begun.key)) !== begun.bytes) throw error;
      });
    },
    abort,

    door: null,
    origin: endpointOrigin({ bucket, region, endpoint, pathStyle }),
    readAddress: (key, type) =>
      getSignedUrl(client, new GetObjectCommand({ ...at(key), ResponseContentType: type }), {
        expiresIn: addressSeconds.read,
      }),
    async local(key, folder) {
      const path = join(folder, checkKey(key));
      await pipeline(await read(key), createWriteStream(path));
      return path;
    },
    close: () => client.destroy(),
  };
}

const isMissing = (error: unknown): boolean =>
  error instanceof NoSuchUpload || (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404);

/** Errors of a bucket about the uploaded parts; all others are for the operator to fix. */
const aboutTheFile = new Set(['EntityTooSmall', 'EntityTooLarge', 'InvalidPart', 'InvalidPartOrder']);
const isAboutTheFile = (error: unknown): error is S3ServiceException =>
  error instanceof S3ServiceException && aboutTheFile.has(error.name);

/** Origin of the addresses that browsers get. */
function endpointOrigin({
  bucket,
  region,
  endpoint,
  pathStyle,
}: Pick<S3Config, 'bucket' | 'region' | 'endpoint' | 'pathStyle'>) {
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  return pathStyle ? base.origin : `${base.protocol}//${bucket}.${base.host}`;
}
