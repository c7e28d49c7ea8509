CREATE TABLE "layer_access" (
	"layer_id" text NOT NULL,
	"meeting_id" text NOT NULL,
	"kind" text NOT NULL,
	"principal_id" text NOT NULL,
	"permissions" text[] NOT NULL,
	CONSTRAINT "layer_access_layer_id_kind_principal_id_pk" PRIMARY KEY("layer_id","kind","principal_id")
);
--> statement-breakpoint
CREATE TABLE "layers" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"review_id" text NOT NULL,
	"kind" text NOT NULL,
	"reviewer_id" text,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "review_log" (
	"review_id" text NOT NULL,
	"nth" bigint NOT NULL,
	"user_id" text NOT NULL,
	"event" jsonb NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "review_log_review_id_nth_pk" PRIMARY KEY("review_id","nth")
);
--> statement-breakpoint
CREATE TABLE "review_states" (
	"review_id" text NOT NULL,
	"meeting_id" text NOT NULL,
	"kind" text NOT NULL,
	"principal_id" text NOT NULL,
	"state" text NOT NULL,
	CONSTRAINT "review_states_review_id_kind_principal_id_pk" PRIMARY KEY("review_id","kind","principal_id")
);
--> statement-breakpoint
CREATE TABLE "reviewers" (
	"id" text PRIMARY KEY NOT NULL,
	"review_id" text NOT NULL,
	"kind" text NOT NULL,
	"principal_id" text NOT NULL,
	"email" text,
	"role" text NOT NULL,
	"status" text DEFAULT 'new' NOT NULL,
	"comment" text DEFAULT '' NOT NULL,
	"completed_at" timestamp with time zone,
	"added_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"policy" text NOT NULL,
	"leader_id" text NOT NULL,
	"outcome_model" text,
	"anonymous" boolean NOT NULL,
	"observers" boolean DEFAULT false NOT NULL,
	"due" text,
	"self_skipped" boolean DEFAULT false NOT NULL,
	"ended_at" timestamp with time zone,
	"opened_at" timestamp with time zone,
	"published_at" timestamp with time zone,
	"deleted_at" timestamp with time zone,
	"blind_record" text[],
	"have_read" text[] NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "layer_id" text;--> statement-breakpoint
ALTER TABLE "layer_access" ADD CONSTRAINT "layer_access_layer_id_layers_id_fk" FOREIGN KEY ("layer_id") REFERENCES "public"."layers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "layers" ADD CONSTRAINT "layers_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "layers" ADD CONSTRAINT "layers_review_id_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."reviews"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_log" ADD CONSTRAINT "review_log_review_id_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."reviews"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_states" ADD CONSTRAINT "review_states_review_id_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."reviews"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_states" ADD CONSTRAINT "review_states_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviewers" ADD CONSTRAINT "reviewers_review_id_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."reviews"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "layer_access_principal" ON "layer_access" USING btree ("kind","principal_id");--> statement-breakpoint
CREATE INDEX "layers_meeting" ON "layers" USING btree ("meeting_id");--> statement-breakpoint
CREATE UNIQUE INDEX "layers_once" ON "layers" USING btree ("review_id","kind",coalesce("reviewer_id", ''));--> statement-breakpoint
CREATE INDEX "review_states_principal" ON "review_states" USING btree ("kind","principal_id");--> statement-breakpoint
CREATE INDEX "review_states_meeting" ON "review_states" USING btree ("meeting_id");--> statement-breakpoint
CREATE UNIQUE INDEX "reviewers_person" ON "reviewers" USING btree ("review_id","kind","principal_id");--> statement-breakpoint
CREATE INDEX "reviewers_principal" ON "reviewers" USING btree ("kind","principal_id");--> statement-breakpoint
CREATE INDEX "reviews_meeting" ON "reviews" USING btree ("meeting_id");--> statement-breakpoint
ALTER TABLE "rooms" ADD CONSTRAINT "rooms_layer_id_layers_id_fk" FOREIGN KEY ("layer_id") REFERENCES "public"."layers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rooms_layer" ON "rooms" USING btree ("layer_id") WHERE layer_id is not null;--> statement-breakpoint
CREATE TRIGGER layer_access_news AFTER INSERT OR UPDATE OR DELETE ON layer_access FOR EACH ROW EXECUTE FUNCTION tell_access_news();--> statement-breakpoint
-- Who is veiled in a meeting's rooms follows from its reviews.
CREATE TRIGGER reviews_access_news AFTER INSERT OR UPDATE OR DELETE ON reviews FOR EACH ROW EXECUTE FUNCTION tell_access_news();--> statement-breakpoint
DROP FUNCTION hold_rights(text, text, text, bytea, text, text[]);--> statement-breakpoint
-- The same as before, with one argument more: by a layer, its rows of layer_access alone count, and those of the review's
-- layer 'words' for *write*. The rows of these layers are locked by everything that changes who has a right on them.
CREATE FUNCTION hold_rights(meeting text, person text, browser text, session_hash bytea, token text, judged_by text[], layer text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  address text;
  folder text;
  path text[];
  giving text[];
  number int;
  held text[];
  closed boolean;
  whole text;
BEGIN
  PERFORM 1 FROM users u WHERE u.id = person FOR KEY SHARE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = person) THEN 'busy' ELSE 'out' END;
  END IF;
  IF session_hash IS NOT NULL THEN
    PERFORM 1 FROM sessions s WHERE s.hash = session_hash AND s.user_id = person FOR KEY SHARE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN CASE WHEN EXISTS (SELECT 1 FROM sessions s WHERE s.hash = session_hash) THEN 'busy' ELSE 'out' END;
    END IF;
  ELSE
    PERFORM 1 FROM api_tokens t WHERE t.id = token AND t.user_id = person FOR KEY SHARE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN CASE WHEN EXISTS (SELECT 1 FROM api_tokens t WHERE t.id = token) THEN 'busy' ELSE 'out' END;
    END IF;
  END IF;
  SELECT m.folder_id, m.closed_at IS NOT NULL INTO folder, closed FROM meetings m WHERE m.id = meeting AND m.deleted_at IS NULL FOR SHARE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM meetings m WHERE m.id = meeting AND m.deleted_at IS NULL) THEN 'busy' ELSE 'less' END;
  END IF;
  IF layer IS NOT NULL THEN
    SELECT l.review_id INTO whole FROM layers l WHERE l.id = layer AND l.meeting_id = meeting AND l.deleted_at IS NULL FOR SHARE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN CASE WHEN EXISTS (SELECT 1 FROM layers l WHERE l.id = layer AND l.meeting_id = meeting AND l.deleted_at IS NULL) THEN 'busy' ELSE 'less' END;
    END IF;
    IF 'write' = ANY(judged_by) THEN
      PERFORM 1 FROM layers l WHERE l.review_id = whole AND l.kind = 'words' FOR SHARE SKIP LOCKED;
      IF NOT FOUND THEN RETURN 'busy'; END IF;
    END IF;
    SELECT u.email_key INTO address FROM users u WHERE u.id = person AND u.confirmed_at IS NOT NULL;
    held := ARRAY(
      SELECT p.name FROM layer_access a CROSS JOIN LATERAL unnest(a.permissions) p(name)
      WHERE a.layer_id = layer AND p.name IN ('read', 'comment')
        AND ((a.kind = 'user' AND a.principal_id = person) OR (a.kind = 'pending' AND a.principal_id = address))
      UNION
      SELECT p.name FROM layers l JOIN layer_access a ON a.layer_id = l.id CROSS JOIN LATERAL unnest(a.permissions) p(name)
      WHERE l.review_id = whole AND l.kind = 'words' AND p.name = 'write' AND NOT closed
        AND ((a.kind = 'user' AND a.principal_id = person) OR (a.kind = 'pending' AND a.principal_id = address)));
    RETURN CASE WHEN 'read' = ANY(held) AND held @> judged_by THEN 'held' ELSE 'less' END;
  END IF;
  IF folder IS NOT NULL THEN
    path := ARRAY(SELECT f.id FROM folders_above(folder) f);
    PERFORM 1 FROM folders f WHERE f.id = ANY(path) FOR SHARE SKIP LOCKED;
    GET DIAGNOSTICS number = ROW_COUNT;
    IF number < cardinality(path) THEN RETURN 'busy'; END IF;
  END IF;
  giving := ARRAY(
    SELECT g.id FROM groups_of(person) g WHERE
      EXISTS (SELECT 1 FROM meeting_access a WHERE a.meeting_id = meeting AND a.kind = 'group' AND a.principal_id = g.id)
      OR EXISTS (SELECT 1 FROM folder_access a WHERE a.folder_id = ANY(path) AND a.kind = 'group' AND a.principal_id = g.id));
  IF cardinality(giving) > 0 THEN
    PERFORM 1 FROM group_members m JOIN groups g ON g.id = m.group_id
    WHERE m.user_id = person AND m.group_id = ANY(giving) FOR SHARE OF g SKIP LOCKED FOR KEY SHARE OF m SKIP LOCKED;
    GET DIAGNOSTICS number = ROW_COUNT;
    IF number < cardinality(giving) THEN RETURN 'busy'; END IF;
  END IF;
  SELECT u.email_key INTO address FROM users u WHERE u.id = person AND u.confirmed_at IS NOT NULL;
  held := ARRAY(
    SELECT unnest(ARRAY['read', 'comment', 'write', 'own', 'discover', 'upload']) FROM meetings m
    WHERE m.id = meeting AND m.owner_id = person
    UNION
    SELECT unnest(a.permissions) FROM meeting_access a WHERE a.meeting_id = meeting AND (
      (a.kind = 'user' AND a.principal_id = person) OR (a.kind = 'pending' AND a.principal_id = address)
      OR (a.kind = 'group' AND a.principal_id IN (SELECT g.id FROM groups_of(person) g)))
    UNION
    SELECT unnest(g.permissions) FROM folder_grants(folder, person, address) g
    UNION
    SELECT p.name FROM meeting_access a CROSS JOIN LATERAL unnest(a.permissions) p(name)
    WHERE a.meeting_id = meeting AND a.kind = 'anonymous' AND p.name NOT IN ('own', 'upload')
      AND (a.expires_at IS NULL OR a.expires_at > clock_timestamp())
      AND (a.code_id IS NULL OR EXISTS (
        SELECT 1 FROM link_passes l WHERE l.meeting_id = meeting AND l.code_id = a.code_id
          AND l.expires_at > clock_timestamp() AND l.holder IN ('u:' || person, 'b:' || browser))));
  IF closed AND 'write' = ANY(held) THEN held := array_append(array_remove(held, 'write'), 'comment'); END IF;
  RETURN CASE WHEN held @> judged_by THEN 'held' ELSE 'less' END;
END $$;
