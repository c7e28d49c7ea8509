-- Open pages of teams follow what their payers have, which admins see, and what is used of a member's quota.
CREATE FUNCTION tell_team_balance() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan TO off SET enable_hashjoin TO off SET enable_mergejoin TO off AS $$
DECLARE
  moving text[];
BEGIN
  moving := ARRAY(SELECT from_account FROM moved UNION SELECT to_account FROM moved);
  PERFORM pg_notify('colloquy_groups', x.user_id) FROM (
    SELECT DISTINCT m.user_id FROM ledger_accounts a JOIN purses p ON p.id = a.purse_id
    JOIN teams t ON t.payer_id = p.user_id JOIN group_members m ON m.group_id = t.group_id AND m.role = 'admin'
    WHERE a.id = ANY (moving) AND a.name = 'credits'
  ) x;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER team_balance_news AFTER INSERT ON ledger_transfers REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION tell_team_balance();
--> statement-breakpoint
CREATE FUNCTION tell_team_allowance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_groups', x.user_id) FROM (
    SELECT NEW.user_id UNION SELECT m.user_id FROM group_members m WHERE m.group_id = NEW.group_id AND m.role = 'admin'
  ) x;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER allowances_page_news AFTER UPDATE OF quota, used ON allowances FOR EACH ROW
  WHEN (OLD.quota IS DISTINCT FROM NEW.quota OR OLD.used IS DISTINCT FROM NEW.used)
  EXECUTE FUNCTION tell_team_allowance();
