CREATE TABLE "action_parts" (
	"action_id" text NOT NULL,
	"about" text NOT NULL,
	"change" jsonb NOT NULL,
	CONSTRAINT "action_parts_action_id_about_pk" PRIMARY KEY("action_id","about")
);
--> statement-breakpoint
ALTER TABLE "undoable_actions" ALTER COLUMN "changes" SET DEFAULT '[]'::jsonb;--> statement-breakpoint
ALTER TABLE "undoable_actions" ADD COLUMN "parts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "action_parts" ADD CONSTRAINT "action_parts_action_id_undoable_actions_id_fk" FOREIGN KEY ("action_id") REFERENCES "public"."undoable_actions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
INSERT INTO "action_parts" ("action_id", "about", "change")
SELECT DISTINCT ON (a.id, about) a.id, coalesce(c.change ->> 'meeting', c.change ->> 'folder') AS about, c.change
FROM "undoable_actions" a CROSS JOIN LATERAL jsonb_array_elements(a.changes) WITH ORDINALITY c(change, nth)
ORDER BY a.id, about, c.nth DESC;
--> statement-breakpoint
UPDATE "undoable_actions" a SET "parts" = p.parts
FROM (SELECT action_id, count(*)::int AS parts FROM "action_parts" GROUP BY action_id) p WHERE p.action_id = a.id;
