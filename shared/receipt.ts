import type { Language } from './i18n/languages.ts';

/** Texts of a receipt. Separate from those of the screens: only the server writes it. */
interface ReceiptTexts {
  title: string;
  practice: string;
  number: string;
  date: string;
  buyer: string;
  address: string;
  bought: string;
  credits: string;
  price: string;
  tax: string;
  total: string;
  bonus: string;
  payment: string;
  /** Link to the invoice of the payment service. */
  invoice: string;
}

export const receiptTexts: Record<Language, ReceiptTexts> = {
  en: {
    title: 'Receipt',
    practice: 'Test payment, no money moves',
    number: 'Number',
    date: 'Date',
    buyer: 'Name',
    address: 'Address',
    bought: 'Bought',
    credits: 'Credits',
    price: 'Price',
    tax: 'Tax',
    total: 'Total paid',
    bonus: 'Bonus credits',
    payment: 'Payment',
    invoice: 'Invoice (PDF)',
  },
  es: {
    title: 'Recibo',
    practice: 'Pago de prueba: no se mueve dinero',
    number: 'Número',
    date: 'Fecha',
    buyer: 'Nombre',
    address: 'Dirección',
    bought: 'Compra',
    credits: 'Créditos',
    price: 'Precio',
    tax: 'Impuestos',
    total: 'Total pagado',
    bonus: 'Créditos de regalo',
    payment: 'Pago',
    invoice: 'Factura (PDF)',
  },
  ru: {
    title: 'Чек',
    practice: 'Тестовый платёж, деньги не списываются',
    number: 'Номер',
    date: 'Дата',
    buyer: 'Имя',
    address: 'Адрес',
    bought: 'Покупка',
    credits: 'Кредиты',
    price: 'Цена',
    tax: 'Налог',
    total: 'Оплачено всего',
    bonus: 'Бонусные кредиты',
    payment: 'Платёж',
    invoice: 'Счёт (PDF)',
  },
  zh: {
    title: '收据',
    practice: '测试付款，不会产生资金流动',
    number: '编号',
    date: '日期',
    buyer: '姓名',
    address: '地址',
    bought: '购买内容',
    credits: '点数',
    price: '价格',
    tax: '税费',
    total: '实付合计',
    bonus: '赠送点数',
    payment: '付款编号',
    invoice: '发票（PDF）',
  },
};
