CREATE TABLE "meeting_sets" (
	"meeting_id" text NOT NULL,
	"set_id" text NOT NULL,
	CONSTRAINT "meeting_sets_meeting_id_set_id_pk" PRIMARY KEY("meeting_id","set_id")
);
--> statement-breakpoint
CREATE TABLE "outcome_models" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text,
	"group_id" text,
	"name" text NOT NULL,
	"language" text NOT NULL,
	"types" jsonb NOT NULL,
	"last_type" integer NOT NULL,
	"rev" integer DEFAULT 1 NOT NULL,
	"retired_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "outcome_models_one_owner" CHECK ("outcome_models"."owner_id" is null or "outcome_models"."group_id" is null)
);
--> statement-breakpoint
ALTER TABLE "meeting_sets" ADD CONSTRAINT "meeting_sets_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meeting_sets" ADD CONSTRAINT "meeting_sets_set_id_outcome_models_id_fk" FOREIGN KEY ("set_id") REFERENCES "public"."outcome_models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outcome_models" ADD CONSTRAINT "outcome_models_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outcome_models" ADD CONSTRAINT "outcome_models_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "meeting_sets_set" ON "meeting_sets" USING btree ("set_id");--> statement-breakpoint
CREATE INDEX "outcome_models_owner" ON "outcome_models" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "outcome_models_group" ON "outcome_models" USING btree ("group_id");