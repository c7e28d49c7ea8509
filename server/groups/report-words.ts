import type { Language } from '#shared/i18n/languages.ts';

interface ReportWords {
  name: string;
  email: string;
  role: string;
  member: string;
  recordings: string;
  minutes: string;
  credits: string;
  quota: string;
  lastDay: string;
  /** Words of cells. */
  yes: string;
  former: string;
  deleted: string;
  roles: { admin: string; member: string };
}

/** Words of the report on a team's activity. */
export const reportWords: Readonly<Record<Language, ReportWords>> = {
  en: {
    name: 'Name',
    email: 'Email',
    role: 'Role',
    member: 'Member',
    recordings: 'Recordings',
    minutes: 'Minutes',
    credits: 'Credits',
    quota: 'Quota',
    lastDay: 'Last day',
    yes: 'yes',
    former: 'former',
    deleted: 'Deleted account',
    roles: { admin: 'Admin', member: 'Member' },
  },
  es: {
    name: 'Nombre',
    email: 'Correo',
    role: 'Rol',
    member: 'Miembro',
    recordings: 'Grabaciones',
    minutes: 'Minutos',
    credits: 'Créditos',
    quota: 'Cuota',
    lastDay: 'Último día',
    yes: 'sí',
    former: 'antes',
    deleted: 'Cuenta eliminada',
    roles: { admin: 'Administrador', member: 'Miembro' },
  },
  ru: {
    name: 'Имя',
    email: 'Эл. почта',
    role: 'Роль',
    member: 'Участник',
    recordings: 'Записи',
    minutes: 'Минуты',
    credits: 'Кредиты',
    quota: 'Квота',
    lastDay: 'Последний день',
    yes: 'да',
    former: 'бывший',
    deleted: 'Учётная запись удалена',
    roles: { admin: 'Администратор', member: 'Участник' },
  },
  zh: {
    name: '姓名',
    email: '邮箱',
    role: '角色',
    member: '成员',
    recordings: '录音',
    minutes: '分钟',
    credits: '点数',
    quota: '配额',
    lastDay: '最后一天',
    yes: '是',
    former: '曾是',
    deleted: '账号已删除',
    roles: { admin: '管理员', member: '成员' },
  },
};
