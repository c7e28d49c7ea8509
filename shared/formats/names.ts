import { speakerKey, speakerName } from './turns.ts';

// Words before a colon or a time: the name of a speaker, or speech.

/** Names are a few words without the end of a sentence. */
export function looksLikeName(text: string): boolean {
  const name = text.trim();
  if (name === '' || name.length > 60 || name.split(/\s+/).length > 6) return false;
  return !/[.?!]\s/.test(name.replace(/\b(?:\p{Lu}|Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)\.(?=\s)/gu, ''));
}

/** Words within names that begin with a small letter. */
const particles = new Set(
  'de da do dos das del della di du la le van von der den ten ter zu zur af av el al bin ibn ben y e i and und et и'.split(
    ' ',
  ),
);

/** Each word of the name begins with a capital letter, a digit, or a letter without case. */
export const isProper = (name: string): boolean =>
  looksLikeName(name) &&
  name
    .replace(/\([^()]*\)|\[[^[\]]*\]/g, ' ')
    .split(/[\s-]+/)
    .every((word) => !/^\p{Ll}/u.test(word) || particles.has(word));

/** Words that ordinarily begin a remark: "Note: call back". */
const remarks = new Set(
  `note|notes|nb|n.b.|ps|p.s.|question|questions|answer|answers|example|for example|remark|reminder|warning|caution
correction|update|summary|conclusion|decision|action|action item|todo|to do|result|reason|problem|solution|idea|tip|hint
fact|point|quote|source|agenda|topic|ok|okay|yes|no|well|so|listen|look|remember|important|attention|meaning|namely
nota|notas|pregunta|preguntas|respuesta|respuestas|ejemplo|por ejemplo|posdata|pd|p.d.|observación|aviso|recordatorio
conclusión|resumen|decisión|resultado|problema|solución|importante|atención|ojo|sí|bueno|es decir
примечание|примечания|заметка|вопрос|вопросы|ответ|ответы|пример|например|к примеру|внимание|важно|итог|итоги|вывод
выводы|решение|результат|проблема|идея|напоминание|то есть|да|нет|так|смотрите|слушайте|пс|з.ы.
注|注意|备注|附注|问|答|问题|回答|答案|例如|例|比如|举例|附言|提示|总结|结论|决定|重要|补充|也就是说`.split(/[|\n]/),
);

/** So often has a remark's word to begin a line before it is somebody's name. */
const remarkIsName = 3;

/** Counts the words that begin lines, and tells by that which of them are names. */
export class Names {
  private readonly times = new Map<string, number>();

  add(name: string, times = 1): void {
    const key = speakerKey(speakerName(name));
    this.times.set(key, (this.times.get(key) ?? 0) + times);
  }

  count(name: string): number {
    return this.times.get(speakerKey(speakerName(name))) ?? 0;
  }

  /** `once`: whether a single line is enough, which never holds for a word that begins remarks. */
  has(name: string, once: boolean): boolean {
    const count = this.count(name);
    if (remarks.has(speakerKey(speakerName(name)))) return count >= remarkIsName;
    return count > 1 || (once && count > 0);
  }
}
