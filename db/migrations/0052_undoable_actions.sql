CREATE TABLE "undoable_actions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"what" jsonb NOT NULL,
	"changes" jsonb NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"undone_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "undoable_actions" ADD CONSTRAINT "undoable_actions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "undoable_actions_person" ON "undoable_actions" USING btree ("user_id","at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "undoable_actions_at" ON "undoable_actions" USING btree ("at");