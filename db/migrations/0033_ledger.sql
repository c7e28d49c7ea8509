CREATE TABLE "holds" (
	"id" text PRIMARY KEY NOT NULL,
	"purse_id" text NOT NULL,
	"purpose" text NOT NULL,
	"meeting_id" text NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"group_id" text,
	"member_id" text,
	"model" text,
	"minute_price" bigint,
	"state" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "holds_state" CHECK (state in ('open', 'captured', 'released'))
);
--> statement-breakpoint
CREATE TABLE "ledger_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"purse_id" text,
	"name" text NOT NULL,
	"unit" text NOT NULL,
	"balance" bigint DEFAULT 0 NOT NULL,
	"paid" boolean,
	"lapses_at" timestamp with time zone,
	"source" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_accounts_unit" UNIQUE("id","unit"),
	CONSTRAINT "ledger_accounts_funds" CHECK (case when purse_id is null then balance = 0 when name = 'debt' then balance <= 0 else balance >= 0 end),
	CONSTRAINT "ledger_accounts_shape" CHECK (case
        when purse_id is null and name in ('stripe', 'tax', 'revenue', 'promo', 'granted', 'gifts', 'unclaimed') then unit = 'usd'
        when purse_id is null and name in ('minted', 'used', 'lapsed') then unit = 's'
        when purse_id is not null and name in ('credits', 'debt', 'heldCredits') then unit = 'usd'
        when purse_id is not null and name in ('heldFree', 'heldPaid', 'lot') then unit = 's'
        else false end
        and (name = 'lot') = (paid is not null) and (name = 'lot') = (source is not null)
        and (name = 'lot' or lapses_at is null))
);
--> statement-breakpoint
CREATE TABLE "ledger_lines" (
	"purse_id" text NOT NULL,
	"nth" integer NOT NULL,
	"posting_id" bigint NOT NULL,
	"usd" bigint NOT NULL,
	"free_seconds" bigint NOT NULL,
	"paid_seconds" bigint NOT NULL,
	CONSTRAINT "ledger_lines_purse_id_nth_pk" PRIMARY KEY("purse_id","nth")
);
--> statement-breakpoint
CREATE TABLE "ledger_postings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_postings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"by" text,
	"hold_id" text,
	"meeting_id" text,
	"group_id" text,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "ledger_postings_key_unique" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "ledger_transfers" (
	"posting_id" bigint NOT NULL,
	"nth" smallint NOT NULL,
	"from_account" text NOT NULL,
	"to_account" text NOT NULL,
	"unit" text NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "ledger_transfers_posting_id_nth_pk" PRIMARY KEY("posting_id","nth"),
	CONSTRAINT "ledger_transfers_amount" CHECK (amount > 0),
	CONSTRAINT "ledger_transfers_two" CHECK (from_account <> to_account)
);
--> statement-breakpoint
CREATE TABLE "purses" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "purses_user_id_unique" UNIQUE("user_id")
);
--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_purse_id_purses_id_fk" FOREIGN KEY ("purse_id") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_accounts" ADD CONSTRAINT "ledger_accounts_purse_id_purses_id_fk" FOREIGN KEY ("purse_id") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_lines" ADD CONSTRAINT "ledger_lines_purse_id_purses_id_fk" FOREIGN KEY ("purse_id") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_lines" ADD CONSTRAINT "ledger_lines_posting_id_ledger_postings_id_fk" FOREIGN KEY ("posting_id") REFERENCES "public"."ledger_postings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_postings" ADD CONSTRAINT "ledger_postings_hold_id_holds_id_fk" FOREIGN KEY ("hold_id") REFERENCES "public"."holds"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_transfers" ADD CONSTRAINT "ledger_transfers_posting_id_ledger_postings_id_fk" FOREIGN KEY ("posting_id") REFERENCES "public"."ledger_postings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_transfers" ADD CONSTRAINT "ledger_transfers_from" FOREIGN KEY ("from_account","unit") REFERENCES "public"."ledger_accounts"("id","unit") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_transfers" ADD CONSTRAINT "ledger_transfers_to" FOREIGN KEY ("to_account","unit") REFERENCES "public"."ledger_accounts"("id","unit") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "purses" ADD CONSTRAINT "purses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "holds_open" ON "holds" USING btree ("meeting_id","purpose","subject") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "holds_until" ON "holds" USING btree ("until") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "holds_purse" ON "holds" USING btree ("purse_id") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "ledger_accounts_purse" ON "ledger_accounts" USING btree ("purse_id");--> statement-breakpoint
CREATE INDEX "ledger_accounts_lapsing" ON "ledger_accounts" USING btree ("lapses_at") WHERE balance > 0 and lapses_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_lines_posting" ON "ledger_lines" USING btree ("posting_id","purse_id");--> statement-breakpoint
CREATE INDEX "ledger_postings_hold" ON "ledger_postings" USING btree ("hold_id") WHERE hold_id is not null;--> statement-breakpoint
-- Accounts of the house exist from the beginning, under their own names.
INSERT INTO "ledger_accounts" (id, name, unit)
SELECT name, name, 'usd' FROM unnest(ARRAY['stripe', 'tax', 'revenue', 'promo', 'granted', 'gifts', 'unclaimed']) AS name
UNION ALL SELECT name, name, 's' FROM unnest(ARRAY['minted', 'used', 'lapsed']) AS name;
--> statement-breakpoint
-- Lines that the transfers of a posting give: what a person has, reserved or not, changes by so much.
CREATE VIEW ledger_line_sums AS
SELECT t.posting_id, a.purse_id,
  sum(t.delta) FILTER (WHERE a.unit = 'usd') AS usd,
  sum(t.delta) FILTER (WHERE a.name = 'heldFree' OR a.name = 'lot' AND NOT a.paid) AS free_seconds,
  sum(t.delta) FILTER (WHERE a.name = 'heldPaid' OR a.name = 'lot' AND a.paid) AS paid_seconds
FROM (
  SELECT posting_id, to_account AS account, amount AS delta FROM ledger_transfers
  UNION ALL SELECT posting_id, from_account, -amount FROM ledger_transfers
) t JOIN ledger_accounts a ON a.id = t.account AND a.purse_id IS NOT NULL
GROUP BY t.posting_id, a.purse_id;
--> statement-breakpoint
-- Balances and lines follow from transfers, in the statement that writes them. The purses are locked first, in one order.
-- Few rows of a large table are meant, whatever was known of it when the plan was made.
CREATE FUNCTION ledger_move() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan TO off SET enable_hashjoin TO off SET enable_mergejoin TO off AS $$
BEGIN
  PERFORM 1 FROM purses p WHERE p.id IN (
    SELECT a.purse_id FROM ledger_accounts a WHERE a.id IN (SELECT from_account FROM moved UNION SELECT to_account FROM moved)
  ) ORDER BY p.id FOR NO KEY UPDATE;
  IF EXISTS (SELECT 1 FROM moved GROUP BY posting_id HAVING min(nth) <> 1) THEN
    RAISE EXCEPTION 'a posting is moved in one statement' USING ERRCODE = '23514', CONSTRAINT = 'ledger_at_once';
  END IF;
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
    s.posting_id, coalesce(s.usd, 0), coalesce(s.free_seconds, 0), coalesce(s.paid_seconds, 0)
  FROM (SELECT DISTINCT posting_id FROM moved) m JOIN LATERAL (SELECT * FROM ledger_line_sums x WHERE x.posting_id = m.posting_id) s ON true
  WHERE coalesce(s.usd, 0) <> 0 OR coalesce(s.free_seconds, 0) <> 0 OR coalesce(s.paid_seconds, 0) <> 0;
  PERFORM pg_notify('colloquy_balance', p.user_id) FROM purses p WHERE p.user_id IS NOT NULL AND p.id IN (
    SELECT a.purse_id FROM ledger_accounts a WHERE a.id IN (SELECT from_account FROM moved UNION SELECT to_account FROM moved));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_transfers_move AFTER INSERT ON ledger_transfers REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_move();
--> statement-breakpoint
CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% of % is refused: books are only added to', TG_OP, TG_TABLE_NAME
    USING ERRCODE = '23514', CONSTRAINT = 'ledger_only_added_to';
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_postings_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER ledger_transfers_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER ledger_lines_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_lines FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER ledger_accounts_stay BEFORE DELETE OR TRUNCATE ON ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER holds_stay BEFORE DELETE OR TRUNCATE ON holds FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
-- Lines and balances are written by the trigger on transfers alone.
CREATE TRIGGER ledger_lines_by_transfers BEFORE INSERT ON ledger_lines FOR EACH STATEMENT
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER ledger_accounts_by_transfers BEFORE UPDATE ON ledger_accounts FOR EACH STATEMENT
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER ledger_accounts_begin_empty BEFORE INSERT ON ledger_accounts FOR EACH ROW
  WHEN (NEW.balance <> 0) EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
CREATE TRIGGER holds_settle_once BEFORE UPDATE ON holds FOR EACH ROW
  WHEN (OLD.state <> 'open') EXECUTE FUNCTION ledger_refuse();
--> statement-breakpoint
-- What a hold reserves lies untouched in the held accounts of its purse while it is open, and is all gone afterwards.
CREATE FUNCTION ledger_check_hold(hold text) RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off AS $$
DECLARE
  wrong boolean;
BEGIN
  SELECT count(x.account) = 0 OR bool_or(x.purse_id <> h.purse_id) OR
    CASE WHEN h.state = 'open' THEN bool_or(x.left_it OR x.net <= 0) ELSE bool_or(x.net <> 0) END
  INTO wrong
  FROM holds h LEFT JOIN LATERAL (
    SELECT a.id AS account, a.purse_id, sum(t.delta) AS net, bool_or(t.delta < 0) AS left_it
    FROM ledger_postings p
    JOIN LATERAL (
      SELECT to_account AS account, amount AS delta FROM ledger_transfers WHERE posting_id = p.id
      UNION ALL SELECT from_account, -amount FROM ledger_transfers WHERE posting_id = p.id
    ) t ON true
    JOIN ledger_accounts a ON a.id = t.account AND a.name IN ('heldCredits', 'heldFree', 'heldPaid')
    WHERE p.hold_id = h.id GROUP BY a.id, a.purse_id
  ) x ON true
  WHERE h.id = hold GROUP BY h.id, h.state;
  IF wrong THEN
    RAISE EXCEPTION 'hold % is neither wholly open nor wholly settled', hold USING ERRCODE = '23514', CONSTRAINT = 'ledger_hold_whole';
  END IF;
END $$;
--> statement-breakpoint
CREATE FUNCTION ledger_check_posting() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan TO off AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM ledger_transfers t WHERE t.posting_id = NEW.id) THEN
    RAISE EXCEPTION 'posting % moves nothing', NEW.id USING ERRCODE = '23514', CONSTRAINT = 'ledger_posting_moves';
  END IF;
  IF EXISTS (
    SELECT 1
    FROM (SELECT s.purse_id, coalesce(s.usd, 0) AS usd, coalesce(s.free_seconds, 0) AS free, coalesce(s.paid_seconds, 0) AS paid
      FROM ledger_line_sums s WHERE s.posting_id = NEW.id) s
    FULL JOIN (SELECT * FROM ledger_lines WHERE posting_id = NEW.id) l ON l.purse_id = s.purse_id
    WHERE coalesce(s.usd, 0) <> coalesce(l.usd, 0) OR coalesce(s.free, 0) <> coalesce(l.free_seconds, 0)
      OR coalesce(s.paid, 0) <> coalesce(l.paid_seconds, 0)
  ) THEN
    RAISE EXCEPTION 'posting % has other lines than its transfers', NEW.id USING ERRCODE = '23514', CONSTRAINT = 'ledger_lines_follow';
  END IF;
  IF NEW.hold_id IS NOT NULL THEN
    PERFORM ledger_check_hold(NEW.hold_id);
  ELSIF EXISTS (
    SELECT 1 FROM ledger_transfers t JOIN ledger_accounts a ON a.id IN (t.from_account, t.to_account)
    WHERE t.posting_id = NEW.id AND a.name IN ('heldCredits', 'heldFree', 'heldPaid')
  ) THEN
    RAISE EXCEPTION 'posting % reserves without a hold', NEW.id USING ERRCODE = '23514', CONSTRAINT = 'ledger_hold_whole';
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER ledger_postings_whole AFTER INSERT ON ledger_postings DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION ledger_check_posting();
--> statement-breakpoint
CREATE FUNCTION ledger_check_hold_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_check_hold(NEW.id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE CONSTRAINT TRIGGER holds_whole AFTER INSERT OR UPDATE ON holds DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION ledger_check_hold_row();
