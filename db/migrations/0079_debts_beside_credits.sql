-- A debt is paid by credits that come in, which work that returned them once did not do. A purse that has both pays now; its
-- sum stays, so that there is no line. Purses are locked before their balances are read.
DO $$ BEGIN PERFORM 1 FROM purses ORDER BY id FOR NO KEY UPDATE; END $$;
--> statement-breakpoint
CREATE TEMPORARY TABLE owing ON COMMIT DROP AS
SELECT c.purse_id, c.id AS credits, d.id AS debt, least(c.balance, -d.balance) AS amount
FROM ledger_accounts c JOIN ledger_accounts d ON d.purse_id = c.purse_id AND d.name = 'debt' AND d.balance < 0
WHERE c.name = 'credits' AND c.balance > 0;
--> statement-breakpoint
INSERT INTO ledger_postings (key, kind, at) SELECT 'debt:' || purse_id, 'debt', now() FROM owing;
--> statement-breakpoint
INSERT INTO ledger_transfers (posting_id, nth, from_account, to_account, unit, amount)
SELECT p.id, 1, o.credits, o.debt, 'usd', o.amount FROM owing o JOIN ledger_postings p ON p.key = 'debt:' || o.purse_id;
--> statement-breakpoint
-- What is checked at commit is checked now: a later migration of the same transaction may alter these tables.
SET CONSTRAINTS ALL IMMEDIATE;
--> statement-breakpoint
SET CONSTRAINTS ALL DEFERRED;
