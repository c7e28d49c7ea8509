CREATE TABLE "access_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"user_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"answered_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "link_passes" (
	"meeting_id" text NOT NULL,
	"holder" text NOT NULL,
	"code_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "link_passes_meeting_id_holder_pk" PRIMARY KEY("meeting_id","holder")
);
--> statement-breakpoint
ALTER TABLE "meeting_access" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "meeting_access" ADD COLUMN "seen_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "meeting_access" ADD COLUMN "code_hash" "bytea";--> statement-breakpoint
ALTER TABLE "meeting_access" ADD COLUMN "code_id" text;--> statement-breakpoint
ALTER TABLE "meeting_access" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "acl_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_requests" ADD CONSTRAINT "access_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "link_passes" ADD CONSTRAINT "link_passes_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "access_requests_pair" ON "access_requests" USING btree ("meeting_id","user_id");--> statement-breakpoint
CREATE INDEX "access_requests_user" ON "access_requests" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "link_passes_expiry" ON "link_passes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "meeting_access_expiry" ON "meeting_access" USING btree ("expires_at") WHERE expires_at is not null;--> statement-breakpoint
-- Those who were let in before had been let in by somebody who knew them.
UPDATE "meeting_access" SET "seen_at" = now() WHERE kind = 'user';
