import type { Language } from './i18n/languages.ts';

/** Texts of the practice card page. Separate from those of the screens: only the server shows them. */
export interface PracticePageTexts {
  title: string;
  /** On everything that could be taken for a real payment. */
  badge: string;
  lead: string;
  monthly: string;
  yearly: string;
  subtotal: string;
  tax: string;
  total: string;
  pay: string;
  decline: string;
  later: string;
  leave: string;
  declined: string;
  paid: string;
  expired: string;
  back: string;
  bill: string;
}

export const practicePageTexts: Record<Language, PracticePageTexts> = {
  en: {
    title: 'Payment',
    badge: 'Test payment, no money moves',
    lead: 'This page stands in for the payment page of a card service. Choose what happens to the payment.',
    monthly: 'every month',
    yearly: 'every year',
    subtotal: 'Price',
    tax: 'Tax (example)',
    total: 'Total',
    pay: 'Pay',
    decline: 'Decline the card',
    later: 'Pay by bank transfer (arrives in a minute)',
    leave: 'Cancel and go back',
    declined: 'Your card was declined. Try again or go back.',
    paid: 'This payment is complete.',
    expired: 'This payment page has expired. Nothing was paid.',
    back: 'Go back',
    bill: 'Bill for your plan',
  },
  es: {
    title: 'Pago',
    badge: 'Pago de prueba: no se mueve dinero',
    lead: 'Esta página sustituye a la página de pago de un servicio de tarjetas. Elige qué ocurre con el pago.',
    monthly: 'cada mes',
    yearly: 'cada año',
    subtotal: 'Precio',
    tax: 'Impuestos (ejemplo)',
    total: 'Total',
    pay: 'Pagar',
    decline: 'Rechazar la tarjeta',
    later: 'Pagar por transferencia (llega en un minuto)',
    leave: 'Cancelar y volver',
    declined: 'Se ha rechazado tu tarjeta. Inténtalo de nuevo o vuelve.',
    paid: 'Este pago se ha completado.',
    expired: 'Esta página de pago ha caducado. No se ha pagado nada.',
    back: 'Volver',
    bill: 'Factura de tu plan',
  },
  ru: {
    title: 'Оплата',
    badge: 'Тестовый платёж, деньги не списываются',
    lead: 'Эта страница заменяет страницу оплаты картой. Выберите, чем закончится платёж.',
    monthly: 'каждый месяц',
    yearly: 'каждый год',
    subtotal: 'Цена',
    tax: 'Налог (пример)',
    total: 'Итого',
    pay: 'Оплатить',
    decline: 'Отклонить карту',
    later: 'Оплатить переводом (придёт через минуту)',
    leave: 'Отменить и вернуться',
    declined: 'Карта отклонена. Попробуйте ещё раз или вернитесь.',
    paid: 'Этот платёж завершён.',
    expired: 'Срок действия этой страницы оплаты истёк. Ничего не списано.',
    back: 'Вернуться',
    bill: 'Счёт за ваш тариф',
  },
  zh: {
    title: '付款',
    badge: '测试付款，不会产生资金流动',
    lead: '此页面代替银行卡服务的付款页面。请选择付款结果。',
    monthly: '每月',
    yearly: '每年',
    subtotal: '价格',
    tax: '税费（示例）',
    total: '合计',
    pay: '付款',
    decline: '拒绝银行卡',
    later: '银行转账（一分钟后到账）',
    leave: '取消并返回',
    declined: '您的银行卡被拒绝。请重试或返回。',
    paid: '此付款已完成。',
    expired: '此付款页面已过期，未支付任何款项。',
    back: '返回',
    bill: '套餐账单',
  },
};
