/** A word of the interface in one language: as a dictionary has it, and the forms it takes in texts. */
type Word = readonly [word: string, forms: RegExp];

export interface Term {
  en: Word;
  es: Word;
  ru: Word;
  zh: Word;
  /** Words that a language does not use for it. */
  never?: Partial<Record<'es' | 'ru' | 'zh', RegExp>>;
  /** Keys of texts that say it without the noun, or use the English word in another sense. */
  passes?: readonly string[];
}

/**
 * One term a thing and language, as people know it from Google Docs, Word, Zoom, Telegram and WPS. Where an English text
 * uses a term, the other languages use theirs (tests/house/glossary.test.ts). Forms of a billing screen stand here before
 * its texts do.
 */
export const glossary: Record<string, Term> = {
  recording: {
    en: ['recording', /\brecordings?\b/i],
    es: ['grabación', /grab/i],
    ru: ['запись', /запис|запиш/i],
    zh: ['录音', /录音|录制/],
  },
  transcript: {
    en: ['transcript', /\btranscripts?\b/i],
    es: ['transcripción', /transcri/i],
    ru: ['расшифровка', /расшифр/i],
    zh: ['文字稿', /文字稿|转写/],
    never: { es: /transcrito/i, ru: /транскрипт|стенограмм/i, zh: /转写文本|转写稿|文字记录/ },
  },
  transcribe: {
    en: ['transcribe', /\btranscri(be|bes|bed|bing|ption|ptions)\b/i],
    es: ['transcribir', /transcri/i],
    ru: ['расшифровать', /расшифр/i],
    zh: ['转写', /转写|文字稿/],
  },
  paragraph: {
    en: ['paragraph', /\bparagraphs?\b/i],
    es: ['párrafo', /párrafo/i],
    ru: ['абзац', /абзац/i],
    zh: ['段落', /段/],
  },
  speaker: {
    en: ['speaker', /\bspeakers?\b/i],
    es: ['hablante', /hablante/i],
    ru: ['говорящий', /говорящ/i],
    zh: ['发言人', /发言人/],
    never: { es: /interlocutor|locutor/i, ru: /спикер|докладчик/i, zh: /说话人|说话者|讲话人/ },
    passes: ['intake.import.kind.shared_screen_with_speaker_view', 'intake.import.kind.active_speaker'],
  },
  glossary: {
    en: ['glossary', /\bglossar(y|ies)\b/i],
    es: ['glosario', /glosario/i],
    ru: ['глоссарий', /глоссари/i],
    zh: ['词汇表', /词汇表/],
  },
  outcome: {
    en: ['outcome', /\boutcomes?\b/i],
    es: ['resultado', /resultado/i],
    ru: ['итог', /итог/i],
    zh: ['成果', /成果/],
  },
  competency: {
    en: ['competency', /\bcompetenc(y|ies)\b/i],
    es: ['competencia', /competenci/i],
    ru: ['компетенция', /компетенц/i],
    zh: ['能力', /能力/],
  },
  grade: {
    en: ['grade', /\bgrades?\b/i],
    es: ['calificación', /calific/i],
    ru: ['оценка', /оцен/i],
    zh: ['评分', /评分/],
  },
  comment: {
    en: ['comment', /\bcomment(s|ed|ing)?\b/i],
    es: ['comentario', /coment/i],
    ru: ['комментарий', /коммент/i],
    zh: ['评论', /评论/],
    never: { zh: /批语|留言/ },
    passes: ['comments.send', 'profile.delete.comment'],
  },
  reply: {
    en: ['reply', /\brepl(y|ies|ied)\b/i],
    es: ['respuesta', /respond|respuesta/i],
    ru: ['ответ', /ответ|отвеч/i],
    zh: ['回复', /回复/],
  },
  resolve: {
    en: ['resolve', /\bresolved?\b/i],
    es: ['resolver', /resolv|resuel/i],
    ru: ['отметить решённым', /реш[её]н/i],
    zh: ['标记为已解决', /解决/],
  },
  publish: {
    en: ['publish', /\bpublish(ed)?\b/i],
    es: ['publicar', /public|publiq/i],
    ru: ['опубликовать', /публик/i],
    zh: ['发布', /发布/],
  },
  versionHistory: {
    en: ['version history', /\bversion history\b/i],
    es: ['historial de versiones', /historial de versiones/i],
    ru: ['история версий', /истори\S+ версий/i],
    zh: ['版本历史', /版本历史/],
    never: { zh: /历史记录|历史版本/ },
  },
  original: {
    en: ['original transcript', /\boriginal transcript\b/i],
    es: ['transcripción original', /transcripción original/i],
    ru: ['исходная расшифровка', /исходн\S+ расшифровк/i],
    zh: ['原始文字稿', /原始文字稿/],
  },
  restore: {
    en: ['restore', /\brestor(e|es|ed)\b/i],
    es: ['restaurar', /restaur/i],
    ru: ['восстановить', /восстан/i],
    zh: ['恢复', /恢复/],
  },
  share: {
    en: ['share', /\bshar(e|es|ed|ing)\b/i],
    es: ['compartir', /compart/i],
    ru: ['поделиться, открыть доступ', /дел(и|ю|я)|доступ/i],
    zh: ['共享', /共享/],
    never: { zh: /分享/ },
    passes: [
      'analytics.bars.share.title',
      'analytics.table.share',
      'intake.import.kind.shared_screen',
      'intake.import.kind.shared_screen_with_gallery_view',
      'intake.import.kind.shared_screen_with_speaker_view',
      'recorder.sound.tabHint',
      'recorder.failed.noSound',
      'recorder.failed.tabEnded',
    ],
  },
  folder: {
    en: ['folder', /\bfolders?\b/i],
    es: ['carpeta', /carpeta/i],
    ru: ['папка', /папк|папок/i],
    zh: ['文件夹', /文件夹/],
    never: { es: /directorio/i, ru: /каталог/i, zh: /文件夾|目录夹/ },
  },
  library: {
    en: ['library', /\blibrar(y|ies)\b/i],
    es: ['biblioteca', /biblioteca/i],
    ru: ['библиотека', /библиотек/i],
    zh: ['资料库', /资料库/],
    never: { zh: /录音库|媒体库/ },
  },
  team: {
    en: ['team', /\bteams?\b/i],
    es: ['equipo', /equipo/i],
    ru: ['команда', /команд/i],
    zh: ['团队', /团队/],
    never: { zh: /小组|班组/ },
  },
  member: {
    en: ['member', /\bmembers?\b/i],
    es: ['miembro', /miembro/i],
    ru: ['участник', /участник/i],
    zh: ['成员', /成员/],
  },
  mentor: {
    en: ['mentor', /\bmentor(s|ing)?\b/i],
    es: ['mentor', /mentor/i],
    ru: ['наставник', /наставни/i],
    zh: ['导师', /导师/],
    never: { ru: /ментор/i },
  },
  owner: {
    en: ['owner', /\bowners?\b/i],
    es: ['propietario', /propietari/i],
    ru: ['владелец', /владел/i],
    zh: ['所有者', /所有者/],
    never: { es: /dueñ/i, zh: /拥有者/ },
  },
  account: {
    en: ['account', /\baccounts?\b/i],
    es: ['cuenta', /cuenta/i],
    ru: ['учётная запись', /учётн\S+ запис/i],
    zh: ['账号', /账号/],
    never: { ru: /аккаунт|уч[её]тк/i, zh: /账户|帐户|帐号/ },
  },
  invitation: {
    en: ['invitation', /\binvit(e|es|ed|ation|ations)\b/i],
    es: ['invitación', /invit/i],
    ru: ['приглашение', /приглас|приглаш/i],
    zh: ['邀请', /邀请|受邀/],
  },
  balance: {
    en: ['balance', /\bbalance\b/i],
    es: ['saldo', /saldo/i],
    ru: ['баланс', /баланс|средств/i],
    zh: ['余额', /余额/],
    never: { es: /\bbalance\b/i },
  },
  credits: {
    en: ['credits', /\bcredits?\b/i],
    es: ['créditos', /crédito/i],
    ru: ['кредиты', /кредит/i],
    zh: ['点数', /点数/],
    never: { zh: /积分|学分/ },
  },
  minutes: {
    en: ['minutes', /\bminutes?\b/i],
    es: ['minutos', /minuto/i],
    ru: ['минуты', /минут/i],
    zh: ['分钟', /分钟/],
  },
  plan: {
    en: ['plan', /\bplans?\b/i],
    es: ['plan', /\bplan(es)?\b/i],
    ru: ['тариф', /тариф/i],
    zh: ['套餐', /套餐/],
  },
  payer: {
    en: ['payer', /\bpayers?\b/i],
    es: ['pagador', /pagador/i],
    ru: ['плательщик', /плательщик/i],
    zh: ['付款人', /付款人/],
  },
  quota: {
    en: ['quota', /\bquotas?\b/i],
    es: ['cuota', /cuota/i],
    ru: ['квота', /квот/i],
    zh: ['配额', /配额/],
  },
  highlight: {
    en: ['highlight', /\bhighlight(s|ed)?\b/i],
    es: ['resaltar', /resalt/i],
    ru: ['выделение цветом', /выдел/i],
    zh: ['高亮', /高亮/],
    never: { zh: /突出显示/ },
  },
  bookmark: {
    en: ['bookmark', /\bbookmarks?\b/i],
    es: ['marcador', /marcador/i],
    ru: ['закладка', /заклад/i],
    zh: ['书签', /书签/],
  },
  chapter: {
    en: ['chapter', /\bchapters?\b/i],
    es: ['capítulo', /capítulo/i],
    ru: ['глава', /глав/i],
    zh: ['章节', /章节/],
  },
  summary: {
    en: ['summary', /\bsummary\b/i],
    es: ['resumen', /resumen/i],
    ru: ['сводка', /сводк/i],
    zh: ['摘要', /摘要/],
  },
  tag: {
    en: ['tag', /\btags?\b/i],
    es: ['etiqueta', /etiqueta/i],
    ru: ['метка', /мет(к|ок)/i],
    zh: ['标签', /标签/],
  },
  voiceNote: {
    en: ['voice note', /\bvoice notes?\b/i],
    es: ['nota de voz', /notas? de voz/i],
    ru: ['голосовая заметка', /голосов\S+ заметк/i],
    zh: ['语音笔记', /语音笔记/],
  },
  wordsToCheck: {
    en: ['words to check', /\bwords? (left )?to check\b/i],
    es: ['palabras por revisar', /por revisar/i],
    ru: ['слова для проверки', /для проверки|проверить/i],
    zh: ['待核对的词', /待核对/],
  },
  shortcuts: {
    en: ['keyboard shortcuts', /\bshortcuts?\b/i],
    es: ['atajos de teclado', /atajo/i],
    ru: ['сочетания клавиш', /сочетани/i],
    zh: ['键盘快捷键', /快捷键/],
  },
  device: {
    en: ['device', /\bdevices?\b/i],
    es: ['dispositivo', /dispositivo/i],
    ru: ['устройство', /устройств/i],
    zh: ['设备', /设备/],
  },
  upload: {
    en: ['upload', /\bupload(s|ed|ing)?\b/i],
    es: ['subir', /\b[Ss][uú]b/],
    ru: ['загрузить', /загру/i],
    zh: ['上传', /上传/],
    never: { es: /\bcargar (un|el) archivo/i },
  },
  download: {
    en: ['download', /\bdownload(s|ed|ing)?\b/i],
    es: ['descargar', /desc[aá]rg/i],
    ru: ['скачать', /скач|загру/i],
    zh: ['下载', /下载/],
  },
  delete: {
    en: ['delete', /\bdelet(e|es|ed|ing|ion)\b/i],
    es: ['eliminar', /elim[ií]n/i],
    ru: ['удалить', /удал/i],
    zh: ['删除', /删除/],
    never: { es: /\bborr[aeo]/i },
  },
  replace: {
    en: ['replace', /\breplac(e|es|ed|ing)\b/i],
    es: ['reemplazar', /reempl[aá]/i],
    ru: ['заменить', /замен/i],
    zh: ['替换', /替换/],
    never: { es: /sustitu/i },
  },
  undo: {
    en: ['undo', /\bundo(es|ne)?\b/i],
    es: ['deshacer', /desh[aei]/i],
    ru: ['отменить', /отмен/i],
    zh: ['撤销', /撤销/],
  },
  support: {
    en: ['support', /\bsupport\b/i],
    es: ['soporte', /soporte/i],
    ru: ['поддержка', /поддержк/i],
    zh: ['客服', /客服/],
    passes: ['outcomes.types.trustSupport'],
  },
};
