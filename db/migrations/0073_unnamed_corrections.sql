CREATE TABLE "unnamed_corrections" (
	"meeting_id" text NOT NULL,
	"user_id" text NOT NULL,
	"from_at" timestamp with time zone NOT NULL,
	"until_at" timestamp with time zone NOT NULL,
	CONSTRAINT "unnamed_corrections_meeting_id_user_id_from_at_pk" PRIMARY KEY("meeting_id","user_id","from_at")
);
--> statement-breakpoint
ALTER TABLE "unnamed_corrections" ADD CONSTRAINT "unnamed_corrections_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;