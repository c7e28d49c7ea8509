ALTER TABLE "intakes" ADD COLUMN "hold_id" text;--> statement-breakpoint
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_hold_id_holds_id_fk" FOREIGN KEY ("hold_id") REFERENCES "public"."holds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "intakes_hold" ON "intakes" USING btree ("hold_id") WHERE "intakes"."hold_id" is not null;--> statement-breakpoint
-- Trial minutes become a free lot, and what is reserved for work under way an open hold of its payer. Each person opens with
-- what they had before anything was reserved, so that a failure returns it.
CREATE TEMPORARY TABLE opening ON COMMIT DROP AS
SELECT u.id AS user_id, replace(gen_random_uuid()::text, '-', '') AS purse,
  'lot/' || replace(gen_random_uuid()::text, '-', '') AS lot,
  (u.trial_minutes + coalesce(h.minutes, 0))::bigint * 60 AS seconds
FROM users u LEFT JOIN (
  SELECT payer_id, sum(minutes_held) AS minutes FROM intakes
  WHERE state = 'processing' AND minutes_held > 0 AND payer_id IS NOT NULL GROUP BY payer_id
) h ON h.payer_id = u.id
WHERE u.trial_minutes > 0 OR h.minutes > 0;
--> statement-breakpoint
INSERT INTO purses (id, user_id, created_at) SELECT purse, user_id, now() FROM opening;
--> statement-breakpoint
INSERT INTO ledger_accounts (id, purse_id, name, unit)
SELECT o.purse || '/' || a.name, o.purse, a.name, a.unit
FROM opening o CROSS JOIN (VALUES ('credits', 'usd'), ('debt', 'usd'), ('heldCredits', 'usd'), ('heldFree', 's'), ('heldPaid', 's')) AS a (name, unit);
--> statement-breakpoint
INSERT INTO ledger_accounts (id, purse_id, name, unit, paid, source)
SELECT lot, purse, 'lot', 's', false, 'trial' FROM opening;
--> statement-breakpoint
INSERT INTO ledger_postings (key, kind, at) SELECT 'trial:' || user_id, 'opening', now() FROM opening;
--> statement-breakpoint
INSERT INTO ledger_transfers (posting_id, nth, from_account, to_account, unit, amount)
SELECT p.id, 1, 'minted', o.lot, 's', o.seconds FROM opening o JOIN ledger_postings p ON p.key = 'trial:' || o.user_id;
--> statement-breakpoint
CREATE TEMPORARY TABLE opening_holds ON COMMIT DROP AS
SELECT i.meeting_id, i.model, i.minutes_held::bigint * 60 AS seconds, i.payer_id, o.purse, o.lot,
  replace(gen_random_uuid()::text, '-', '') AS hold
FROM intakes i JOIN opening o ON o.user_id = i.payer_id
WHERE i.state = 'processing' AND i.minutes_held > 0;
--> statement-breakpoint
INSERT INTO holds (id, purse_id, purpose, meeting_id, model, minute_price, state, created_at, until)
SELECT hold, purse, CASE WHEN model = 'trme' THEN 'human' ELSE 'transcription' END, meeting_id, model, 0, 'open', now(),
  now() + CASE WHEN model = 'trme' THEN interval '30 days' ELSE interval '1 day' END
FROM opening_holds;
--> statement-breakpoint
INSERT INTO ledger_postings (key, kind, "by", hold_id, meeting_id, at)
SELECT 'hold:' || hold, 'hold', payer_id, hold, meeting_id, now() FROM opening_holds;
--> statement-breakpoint
INSERT INTO ledger_transfers (posting_id, nth, from_account, to_account, unit, amount)
SELECT p.id, 1, h.lot, h.purse || '/heldFree', 's', h.seconds FROM opening_holds h JOIN ledger_postings p ON p.key = 'hold:' || h.hold;
--> statement-breakpoint
UPDATE intakes i SET hold_id = h.hold FROM opening_holds h WHERE h.meeting_id = i.meeting_id;
--> statement-breakpoint
-- What is checked at commit is checked now: a later migration of the same transaction may alter these tables.
SET CONSTRAINTS ALL IMMEDIATE;
--> statement-breakpoint
SET CONSTRAINTS ALL DEFERRED;
