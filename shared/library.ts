/** What a list of meetings may be sorted by; with a minus before it, the other way round. */
export const meetingOrders = ['title', 'owner', 'updatedAt', 'duration', 'words'] as const;
export type MeetingOrder = (typeof meetingOrders)[number];
export type MeetingSort = MeetingOrder | `-${MeetingOrder}`;

/** What was worked on last is looked for first. */
export const defaultOrder: MeetingSort = '-updatedAt';
export const pageSizes = { table: 20, tile: 9 } as const;
