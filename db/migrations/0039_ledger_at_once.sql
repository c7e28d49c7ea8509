DROP INDEX "ledger_accounts_lapsing";--> statement-breakpoint
CREATE INDEX "ledger_accounts_lapsing" ON "ledger_accounts" USING btree ("lapses_at") WHERE lapses_at is not null;
--> statement-breakpoint
-- Room beside each balance for its next version.
ALTER TABLE "ledger_accounts" SET (fillfactor = 60);
--> statement-breakpoint
-- Writes an event and what it moves by one call, so that its statements are planned once a connection. False: the event was
-- written before.
CREATE FUNCTION ledger_post(
  event_key text, event_kind text, by_id text, hold text, meeting text, team text, about jsonb, moment timestamptz, moves jsonb
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  posting bigint;
BEGIN
  INSERT INTO ledger_postings (key, kind, "by", hold_id, meeting_id, group_id, details, at)
  VALUES (event_key, event_kind, by_id, hold, meeting, team, about, moment)
  ON CONFLICT (key) DO NOTHING RETURNING id INTO posting;
  IF posting IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO ledger_transfers (posting_id, nth, from_account, to_account, unit, amount)
  SELECT posting, m.nth, m.source, m.target, m.unit, m.amount
  FROM ROWS FROM (jsonb_to_recordset(moves) AS ("from" text, "to" text, unit text, amount bigint))
    WITH ORDINALITY AS m (source, target, unit, amount, nth);
  RETURN true;
END $$;
--> statement-breakpoint
-- Balances and lines follow from transfers, in the statement that writes them. The purses are locked first, in one order.
-- Only what is moved now is read: a view of all transfers would be summed whole, and each event take longer than the last.
-- Few rows of a large table are meant, whatever was known of it when the plan was made.
CREATE OR REPLACE FUNCTION ledger_move() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan TO off SET enable_hashjoin TO off SET enable_mergejoin TO off AS $$
DECLARE
  moving text[];
  touched text[];
BEGIN
  IF EXISTS (SELECT 1 FROM moved GROUP BY posting_id HAVING min(nth) <> 1) THEN
    RAISE EXCEPTION 'a posting is moved in one statement' USING ERRCODE = '23514', CONSTRAINT = 'ledger_at_once';
  END IF;
  moving := ARRAY(SELECT from_account FROM moved UNION SELECT to_account FROM moved);
  touched := ARRAY(SELECT DISTINCT a.purse_id FROM ledger_accounts a WHERE a.id = ANY (moving) AND a.purse_id IS NOT NULL);
  PERFORM pg_notify('colloquy_balance', p.user_id)
  FROM (SELECT user_id FROM purses WHERE id = ANY (touched) ORDER BY id FOR NO KEY UPDATE) p WHERE p.user_id IS NOT NULL;
  UPDATE ledger_accounts a SET balance = a.balance + d.delta
  FROM (
    SELECT x.account, sum(x.delta) AS delta FROM (
      SELECT to_account AS account, amount AS delta FROM moved UNION ALL SELECT from_account, -amount FROM moved
    ) x GROUP BY x.account
  ) d WHERE a.id = d.account AND a.purse_id IS NOT NULL;
  INSERT INTO ledger_lines (purse_id, nth, posting_id, usd, free_seconds, paid_seconds)
  SELECT s.purse_id,
    coalesce((SELECT l.nth FROM ledger_lines l WHERE l.purse_id = s.purse_id ORDER BY l.nth DESC LIMIT 1), 0)
      + row_number() OVER (PARTITION BY s.purse_id ORDER BY s.posting_id),
    s.posting_id, s.usd, s.free_seconds, s.paid_seconds
  FROM (
    SELECT x.posting_id, a.purse_id,
      coalesce(sum(x.delta) FILTER (WHERE a.unit = 'usd'), 0) AS usd,
      coalesce(sum(x.delta) FILTER (WHERE a.name = 'heldFree' OR a.name = 'lot' AND NOT a.paid), 0) AS free_seconds,
      coalesce(sum(x.delta) FILTER (WHERE a.name = 'heldPaid' OR a.name = 'lot' AND a.paid), 0) AS paid_seconds
    FROM (
      SELECT posting_id, to_account AS account, amount AS delta FROM moved
      UNION ALL SELECT posting_id, from_account, -amount FROM moved
    ) x JOIN ledger_accounts a ON a.id = x.account AND a.purse_id IS NOT NULL
    GROUP BY x.posting_id, a.purse_id
  ) s WHERE s.usd <> 0 OR s.free_seconds <> 0 OR s.paid_seconds <> 0;
  RETURN NULL;
END $$;
