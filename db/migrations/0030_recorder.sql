CREATE TABLE "live_recordings" (
	"meeting_id" text PRIMARY KEY NOT NULL,
	"person_id" text NOT NULL,
	"state" text NOT NULL,
	"tracks" text[] NOT NULL,
	"model" text NOT NULL,
	"lang" text NOT NULL,
	"consent_version" integer NOT NULL,
	"consent_at" timestamp with time zone NOT NULL,
	"gaps" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"assembled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "take_pieces" (
	"take_id" text NOT NULL,
	"first_n" integer NOT NULL,
	"last_n" integer NOT NULL,
	"bytes" "bytea" NOT NULL,
	"lengths" integer[] NOT NULL,
	"digests" "bytea" NOT NULL,
	CONSTRAINT "take_pieces_take_id_first_n_pk" PRIMARY KEY("take_id","first_n")
);
--> statement-breakpoint
CREATE TABLE "takes" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"track" text NOT NULL,
	"type" text NOT NULL,
	"offset_ms" integer NOT NULL,
	"kept" integer DEFAULT 0 NOT NULL,
	"highest" integer DEFAULT 0 NOT NULL,
	"bytes" integer DEFAULT 0 NOT NULL,
	"pieces" integer,
	"created_at" timestamp with time zone NOT NULL,
	"last_piece_at" timestamp with time zone,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "live_recordings" ADD CONSTRAINT "live_recordings_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "live_recordings" ADD CONSTRAINT "live_recordings_person_id_users_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "take_pieces" ADD CONSTRAINT "take_pieces_take_id_takes_id_fk" FOREIGN KEY ("take_id") REFERENCES "public"."takes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "takes" ADD CONSTRAINT "takes_meeting_id_live_recordings_meeting_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."live_recordings"("meeting_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "live_recordings_person" ON "live_recordings" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "live_recordings_state" ON "live_recordings" USING btree ("state");--> statement-breakpoint
CREATE INDEX "takes_meeting" ON "takes" USING btree ("meeting_id");--> statement-breakpoint
-- Recorded sound is compressed already.
ALTER TABLE "take_pieces" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
