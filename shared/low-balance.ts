/** Bounds below which a balance is shown in yellow; at 0 it is red. */
export const lowBalance = { credits: 1, minutes: 10 } as const;

export const balanceLevel = (amount: number, low: number): 'none' | 'low' | 'enough' =>
  amount <= 0 ? 'none' : amount < low ? 'low' : 'enough';
