CREATE TABLE "ai_chats" (
	"meeting_id" text NOT NULL,
	"user_id" text NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "ai_chats_meeting_id_user_id_pk" PRIMARY KEY("meeting_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "ai_consents" (
	"meeting_id" text PRIMARY KEY NOT NULL,
	"allows" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ai_consents_of_people" (
	"user_id" text PRIMARY KEY NOT NULL,
	"allows" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ai_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"user_id" text NOT NULL,
	"nth" integer NOT NULL,
	"version" integer NOT NULL,
	"role" text NOT NULL,
	"content" text DEFAULT '' NOT NULL,
	"parts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"run_id" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ai_messages_nth" UNIQUE("meeting_id","user_id","nth")
);
--> statement-breakpoint
CREATE TABLE "ai_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"meeting_id" text NOT NULL,
	"user_id" text NOT NULL,
	"browser" text,
	"model" text NOT NULL,
	"host" text NOT NULL,
	"language" text NOT NULL,
	"state" text NOT NULL,
	"failure" text,
	"read" integer,
	"lines" integer,
	"enough" boolean,
	"asked" integer,
	"answered" integer,
	"hold_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "ai_chats" ADD CONSTRAINT "ai_chats_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_chats" ADD CONSTRAINT "ai_chats_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_consents" ADD CONSTRAINT "ai_consents_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_consents_of_people" ADD CONSTRAINT "ai_consents_of_people_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_messages" ADD CONSTRAINT "ai_messages_chat" FOREIGN KEY ("meeting_id","user_id") REFERENCES "public"."ai_chats"("meeting_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_runs" ADD CONSTRAINT "ai_runs_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_runs" ADD CONSTRAINT "ai_runs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "ai_runs_open" ON "ai_runs" USING btree ("meeting_id","user_id","kind") WHERE state in ('waiting', 'running');--> statement-breakpoint
CREATE INDEX "ai_runs_user" ON "ai_runs" USING btree ("user_id");