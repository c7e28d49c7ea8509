import type { CostDesk } from '#server/billing/desk.ts';
import { microsOf } from '#server/billing/quote.ts';
import { transaction } from '#server/context.ts';
import type { GroupDetail } from '#shared/groups.ts';
import { newId } from '#shared/ids.ts';
import { costOf } from '#shared/money.ts';
import type { Chance } from '../sim/chance.ts';
import type { Answer, Person } from './people.ts';
import type { Shop } from './payments.ts';

/*
 * A team in a random history of money: members who come and go, roles, quotas, payers, archiving, closing. What was
 * answered tells what may be true of it in a step; what it pays for is judged by that.
 */

interface Surroundings {
  shop: Shop;
  desk: CostDesk;
  minutePrice: number;
  people: readonly Person[];
  /** Work of all people, to which that of the team is added. */
  jobs: Job[];
  chance: Chance;
  /** Gives credits, so that there is something to work with. */
  fund(person: Person): Promise<void>;
  /** Calls until there is an answer that a crash did not cause. */
  get(person: Person, path: string): Promise<Answer>;
  post(person: Person, path: string, body: object): Promise<Answer>;
  put(person: Person, path: string, body: object): Promise<Answer>;
  remove(person: Person, path: string): Promise<Answer>;
  ask<T extends object>(sql: string): Promise<T[]>;
}

/** Work that is paid for. */
export interface Job {
  person: Person;
  hold: string;
  seconds: number;
  /** Seconds of the capture that was asked for. */
  used: number | null;
  /** Team whose payer pays, from credits alone. */
  groupId: string | null;
  /** Recording that is under way; null: the work is told of by its hold alone. */
  recording: string | null;
}

interface Known {
  isOpen: boolean;
  payer: string | null;
  roles: Map<string, string>;
  quotas: Map<string, number | null>;
}

/** States of the team that are possible at some instant of a step. */
interface Possible {
  isOpen: boolean;
  payers: Set<string | null>;
  members: Set<string>;
  quotas: Map<string, Set<number | null>>;
}

const quotas = [1, 5, 20, 60] as const;
const defaultQuota = 20;

export class TeamHistory {
  /** How often each change was accepted, over all histories. */
  static readonly seen: Record<string, number> = {};

  private readonly at: Surroundings;
  private id: string | null = null;
  private known: Known | null = null;
  private possible: Possible | null = null;
  /** Work that was begun in this step. */
  private begun: Job[] = [];

  constructor(at: Surroundings) {
    this.at = at;
  }

  readonly acts: readonly (() => Promise<unknown>)[] = [
    () => this.begin(),
    () => this.begin(),
    () => this.begin(),
    () => this.begin(),
    () => this.namePayer(),
    () => this.changeRole(),
    () => this.leave(),
    () => this.join(),
    () => this.join(),
    () => this.setQuota(),
    () => this.archive(),
    () => this.close(),
  ];

  /** Before a step: a team that was deleted is followed by another. */
  async prepare(): Promise<void> {
    if (this.id === null) await this.create();
    const { isOpen, payer, roles, quotas } = this.known as Known;
    this.possible = {
      isOpen,
      payers: new Set([payer]),
      members: new Set(roles.keys()),
      quotas: new Map([...quotas].map(([id, quota]) => [id, new Set([quota])])),
    };
    this.begun = [];
  }

  private person = (): Person => this.at.chance.pick(this.at.people);
  private within = (role?: string): Person | null => {
    const found = this.at.people.filter(({ id }) => {
      const own = this.known?.roles.get(id);
      return own !== undefined && (role === undefined || own === role);
    });
    return found.length === 0 ? null : this.at.chance.pick(found);
  };

  private note(what: string, { status }: Answer): boolean {
    const isDone = status === 200 || status === 204;
    const name = isDone ? what : `${what} refused`;
    TeamHistory.seen[name] = (TeamHistory.seen[name] ?? 0) + 1;
    return isDone;
  }

  private async create(): Promise<void> {
    const [first, second, third] = this.at.chance.happens(0.5) ? this.at.people : this.at.people.toReversed();
    if (!first || !second || !third) throw new Error('nobody is there');
    const name = `Team ${newId()}`;
    const { body } = await this.at.post(first, '/api/groups', { name, type: 'team', defaultQuota });
    const id = body.id as string;
    this.id = id;
    for (const [one, role] of [[second, 'admin'] as const, [third, 'member'] as const])
      await this.admit(first, one, role);
    this.known = await this.look();
    // The creator of a team pays for it.
    await this.at.fund(first);
  }

  private async admit(by: Person, person: Person, role: string): Promise<Answer> {
    const members = [{ email: person.email, role }];
    await this.at.post(by, `/api/groups/${this.id}/members`, { members });
    return this.at.post(person, `/api/groups/${this.id}/accept`, {});
  }

  /** The team as one of its admins sees it. */
  private async look(): Promise<Known> {
    const [admin] = await this.at.ask<{ user_id: string }>(
      `select user_id from group_members where group_id = '${this.id}' and role = 'admin' order by user_id`,
    );
    const viewer = this.at.people.find(({ id }) => id === admin?.user_id);
    if (!viewer) throw new Error('the team has no admin');
    const group = (await this.at.get(viewer, `/api/groups/${this.id}`)).body as GroupDetail;
    const joined = group.members.filter(({ kind }) => kind === 'user');
    return {
      isOpen: group.type === 'team' && !group.archived,
      payer: group.payer?.id ?? null,
      roles: new Map(joined.map(({ id, role }) => [id, role])),
      quotas: new Map(joined.flatMap(({ id, quota }) => (quota === undefined ? [] : [[id, quota]]))),
    };
  }

  private async begin(): Promise<void> {
    const { shop, desk, chance } = this.at;
    const groupId = this.id;
    if (groupId === null) return;
    const person = this.person();
    const seconds = chance.between(1, 7200);
    const order = { meetingId: newId(), model: 'speech', seconds };
    const { database, house } = shop.house;
    try {
      const options = await desk.options(database.orm, person, order);
      const option = options.find((one) => one.groupId === groupId);
      if (!option) return;
      const isUsable = option.isEnough && option.isEnoughQuota;
      this.note('work', { status: isUsable ? 200 : 402 } as Answer);
      if (!isUsable) return;
      const hold = await transaction(house, (tx) => desk.hold(tx, person, order, option));
      if (hold === null) return;
      const job = { groupId, person, hold, seconds, used: null, recording: null };
      this.begun.push(job);
      this.at.jobs.push(job);
    } catch {
      // The team changed meanwhile, or the connection ended: nothing is held, or the sweeper returns it.
    }
  }

  private async namePayer(): Promise<void> {
    const by = this.within('admin');
    if (!by) return;
    const others = this.at.people.filter(
      ({ id }) => id !== by.id && id !== this.known?.payer && this.known?.roles.get(id) === 'admin',
    );
    const payer = others.length === 0 || this.at.chance.happens(0.4) ? by : this.at.chance.pick(others);
    // The payer may be named by somebody else before this arrives.
    if (payer === by) this.possible?.payers.add(by.id);
    const answer = await this.at.put(by, `/api/groups/${this.id}`, { payer: payer.id });
    this.note(payer === by ? 'payer' : 'asked payer', answer);
  }

  private async changeRole(): Promise<void> {
    const [by, member] = [this.within('admin'), this.within()];
    if (!by || !member) return;
    const role = this.at.chance.pick(['admin', 'member'] as const);
    if (role === 'member') this.possible?.payers.add(null);
    this.note('role', await this.at.put(by, `/api/groups/${this.id}/members/${member.id}`, { role }));
  }

  private async leave(): Promise<void> {
    const [by, member] = [this.within('admin'), this.within()];
    if (!by || !member) return;
    this.possible?.payers.add(null);
    const answer = this.at.chance.happens(0.5)
      ? await this.at.post(member, `/api/groups/${this.id}/leave`, {})
      : await this.at.remove(by, `/api/groups/${this.id}/members/${member.id}`);
    this.note('leave', answer);
  }

  private async join(): Promise<void> {
    const by = this.within('admin');
    const outside = this.at.people.filter(({ id }) => !this.known?.roles.has(id));
    if (!by || outside.length === 0) return;
    const person = this.at.chance.pick(outside);
    this.possible?.members.add(person.id);
    this.note('join', await this.admit(by, person, this.at.chance.pick(['admin', 'member'])));
  }

  private async setQuota(): Promise<void> {
    const [by, member] = [this.within('admin'), this.within()];
    if (!by || !member) return;
    const quota = this.at.chance.pick(quotas);
    const allowed = this.possible?.quotas.get(member.id) ?? new Set();
    this.possible?.quotas.set(member.id, allowed.add(quota));
    this.note('quota', await this.at.put(by, `/api/groups/${this.id}/members/${member.id}`, { quota }));
  }

  private async archive(): Promise<void> {
    const by = this.within('admin');
    if (!by) return;
    const how = this.at.chance.pick(['deactivate', 'activate', 'activate'] as const);
    if (how === 'activate' && this.possible) this.possible.isOpen = true;
    this.note(how, await this.at.post(by, `/api/groups/${this.id}/${how}`, {}));
  }

  /** The team becomes a plain group, is a team again, or is deleted. */
  private async close(): Promise<void> {
    const by = this.within('admin');
    if (!by) return;
    if (this.at.chance.happens(0.15)) {
      if (this.note('delete', await this.at.remove(by, `/api/groups/${this.id}`))) this.id = null;
      return;
    }
    const type = this.at.chance.pick(['group', 'team', 'team'] as const);
    if (type === 'team' && this.possible) {
      this.possible.isOpen = true;
      this.possible.payers.add(by.id);
    } else this.possible?.payers.add(null);
    this.note(`type ${type}`, await this.at.put(by, `/api/groups/${this.id}`, { type }));
  }

  /** First fault after a step; null where everything is possible. */
  async wrong(): Promise<string | null> {
    const possible = this.possible as Possible;
    for (const { person, hold, groupId } of this.begun) {
      const [row] = await this.at.ask<{ payer: string; member: string; team: string }>(`
        select p.user_id as payer, h.member_id as member, h.group_id as team
        from holds h join purses p on p.id = h.purse_id where h.id = '${hold}'`);
      if (!row) return `${hold} was lost`;
      if (row.member !== person.id || row.team !== groupId) return `${hold} is for somebody else`;
      if (!possible.payers.has(row.payer)) return `${hold} is paid by ${row.payer}, who does not pay for the team`;
      if (!possible.members.has(person.id)) return `${hold} is for ${person.id}, who is not in the team`;
      if (!possible.isOpen) return `${hold} is paid by a team that is closed`;
    }
    if (this.id === null) return null;
    const now = await this.look();
    if (!possible.payers.has(now.payer)) return `${now.payer} pays, and may not`;
    if (now.payer !== null && now.roles.get(now.payer) !== 'admin') return `${now.payer} pays, and is no admin`;
    for (const [id, quota] of now.quotas) {
      const used = await this.usedBy(id);
      // New members have the usual quota, or one of an earlier time.
      if (this.known?.quotas.has(id) && !possible.quotas.get(id)?.has(quota)) return `${id} has the quota ${quota}`;
      if (quota !== null && used > BigInt(microsOf(quota))) return `${id} used ${used} of ${quota}`;
    }
    this.known = now;
    return null;
  }

  /** Sum taken and reserved for the work of a member in the present team. */
  private async usedBy(memberId: string): Promise<bigint> {
    const states = await this.at.ask<{ id: string; state: string }>(
      `select id, state from holds where group_id = '${this.id}' and member_id = '${memberId}'`,
    );
    const price = BigInt(this.at.minutePrice);
    return this.at.jobs
      .filter(({ groupId, person }) => groupId === this.id && person.id === memberId)
      .reduce((sum, { hold, seconds, used }) => {
        const state = states.find(({ id }) => id === hold)?.state;
        if (state === 'open') return sum + costOf(BigInt(seconds), price);
        if (state === 'captured') return sum + costOf(BigInt(Math.min(used ?? 0, seconds)), price);
        return sum;
      }, 0n);
  }

  /** After everything has ended: the team says of each member what their work took, to the micro-dollar. */
  async wrongAtTheEnd(): Promise<string | null> {
    if (this.id === null) return null;
    const rows = await this.at.ask<{ user_id: string; used: string }>(
      `select user_id, used::text from allowances where group_id = '${this.id}'`,
    );
    for (const { user_id: member, used } of rows) {
      const due = await this.usedBy(member);
      if (due !== BigInt(used)) return `${member} used ${due}, and the team counts ${used}`;
    }
    return null;
  }
}
