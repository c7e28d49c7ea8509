CREATE TABLE "free_work" (
	"id" text PRIMARY KEY NOT NULL,
	"group_id" text NOT NULL,
	"member_id" text NOT NULL,
	"meeting_id" text NOT NULL,
	"begun_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"seconds" integer
);
--> statement-breakpoint
ALTER TABLE "free_work" ADD CONSTRAINT "free_work_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "free_work_begun" ON "free_work" USING btree ("group_id","begun_at");--> statement-breakpoint
CREATE INDEX "free_work_ended" ON "free_work" USING btree ("group_id","ended_at");--> statement-breakpoint
CREATE INDEX "free_work_open" ON "free_work" USING btree ("meeting_id") WHERE ended_at is null;