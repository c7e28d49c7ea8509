CREATE TABLE "item_authors" (
	"meeting_id" text NOT NULL,
	"user_id" text NOT NULL,
	"gone" boolean DEFAULT false NOT NULL,
	CONSTRAINT "item_authors_meeting_id_user_id_pk" PRIMARY KEY("meeting_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "item_authors" ADD CONSTRAINT "item_authors_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "item_authors_user" ON "item_authors" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "item_authors_gone" ON "item_authors" USING btree ("meeting_id") WHERE gone;--> statement-breakpoint
-- As far as the log still tells.
INSERT INTO "item_authors" ("meeting_id", "user_id")
SELECT DISTINCT r.meeting_id, u.user_id FROM rooms r JOIN room_updates u ON u.room = r.name
WHERE r.part IN ('outcomes', 'comments') AND u.user_id IS NOT NULL;
--> statement-breakpoint
UPDATE "item_authors" SET gone = true WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.id = item_authors.user_id);
