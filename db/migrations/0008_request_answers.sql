CREATE TABLE "request_answers" (
	"user_id" text NOT NULL,
	"request_id" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"status" integer NOT NULL,
	"etag" text,
	"body" text,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "request_answers_user_id_request_id_pk" PRIMARY KEY("user_id","request_id")
);
--> statement-breakpoint
ALTER TABLE "request_answers" ADD CONSTRAINT "request_answers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "request_answers_at" ON "request_answers" USING btree ("at");