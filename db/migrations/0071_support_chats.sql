CREATE TABLE "support_chats" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"info" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "support_messages" (
	"chat_id" text NOT NULL,
	"nth" integer NOT NULL,
	"role" text NOT NULL,
	"content" text NOT NULL,
	"urls" text[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "support_messages_chat_id_nth_pk" PRIMARY KEY("chat_id","nth")
);
--> statement-breakpoint
ALTER TABLE "support_chats" ADD CONSTRAINT "support_chats_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "support_messages" ADD CONSTRAINT "support_messages_chat" FOREIGN KEY ("chat_id") REFERENCES "public"."support_chats"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "support_chats_user" ON "support_chats" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "support_chats_created" ON "support_chats" USING btree ("created_at");