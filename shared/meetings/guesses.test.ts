import { describe, expect, it } from 'vitest';
import { spoken } from '#tests/support/spoken.ts';
import { saidIn } from './anchors.ts';
import { guessesOf, passageOfPoint } from './guesses.ts';
import { readWords } from './words.ts';

function guessed(texts: string[], item: { quote: string; start: number; end: number }) {
  const reading = readWords(spoken(...texts));
  return guessesOf(reading, item).map(({ from, to, by }) => [by, saidIn(reading, from, to).quote]);
}

describe('guesses where an annotation belongs', () => {
  const talk = [
    'We planned the walk for Monday and the call for Friday.',
    'Then it rained all day long, so nobody went anywhere.',
    'The walk was planned for Sunday instead, and the call was on Friday.',
  ];

  it('are the same words first, whatever their signs and capitals are, then what is said at its time', () => {
    expect(guessed(talk, { quote: 'it rained all day long', start: 0, end: 2 })).toEqual([
      ['same', 'it rained all day long'],
      ['time', 'We planned'],
    ]);
    expect(guessed(talk, { quote: 'The call – for friday!', start: 30, end: 31 })[0]).toEqual([
      'same',
      'the call for Friday',
    ]);
  });

  it('are similar words where no others are the same: those that share the rare ones', () => {
    expect(guessed(talk, { quote: 'then it has rained the whole day', start: 100, end: 101 })).toEqual([
      ['similar', 'Then it rained all day'],
      ['time', 'Friday.'],
    ]);
  });

  it('of equally likely places begin with the nearest one, and none is offered twice', () => {
    const twice = ['so we go on now', 'a long word in between', 'so we go on now'];
    expect(guessed(twice, { quote: 'we go on', start: 12, end: 14 })).toEqual([
      ['same', 'we go on'],
      ['same', 'we go on'],
    ]);
    const reading = readWords(spoken(...twice));
    const [first, second] = guessesOf(reading, { quote: 'we go on', start: 12, end: 14 });
    expect(first?.from).toBeGreaterThan(second?.to ?? Infinity);
  });

  it('are at most three, the last of them the time, and only the time where no word is left', () => {
    const often = ['go home', 'go home', 'go home', 'go home', 'then rest'];
    expect(guessed(often, { quote: 'go home', start: 9, end: 10 }).map(([by]) => by)).toEqual(['same', 'same', 'time']);
    expect(guessed(talk, { quote: 'Entirely different', start: 10, end: 12 })).toEqual([['time', 'Friday.']]);
    expect(guessed([], { quote: 'Nothing', start: 0, end: 1 })).toEqual([]);
  });

  it('lead from a point of a summary to what was said, and nowhere where that is about something else', () => {
    const reading = readWords(spoken(...talk));
    const said = (text: string) => {
      const found = passageOfPoint(reading, text);
      return found && saidIn(reading, found.from, found.to).quote;
    };
    expect(said('Nobody went anywhere because of rain')).toBe('nobody went anywhere');
    expect(said('Walk moved to Sunday')).toMatch(/walk was planned for Sunday/);
    expect([said('The budget is open'), said('')]).toEqual([null, null]);
  });

  it('are found in writing without blanks', () => {
    expect(guessed(['今天我们讨论计划', '下周再谈预算'], { quote: '我们讨论了计划', start: 0, end: 0.5 })[0]).toEqual([
      'similar',
      '我们讨论计划',
    ]);
  });
});
