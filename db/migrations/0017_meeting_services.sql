CREATE TABLE "recording_imports" (
	"meeting_id" text PRIMARY KEY NOT NULL,
	"service" text NOT NULL,
	"recording_id" text NOT NULL,
	"file_id" text NOT NULL,
	"file_type" text NOT NULL,
	"name" text NOT NULL,
	"seconds" integer
);
--> statement-breakpoint
CREATE TABLE "service_accounts" (
	"user_id" text NOT NULL,
	"service" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"generation" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"renewing_until" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "service_accounts_user_id_service_pk" PRIMARY KEY("user_id","service")
);
--> statement-breakpoint
CREATE TABLE "service_flows" (
	"state_hash" "bytea" PRIMARY KEY NOT NULL,
	"service" text NOT NULL,
	"user_id" text NOT NULL,
	"session_hash" "bytea" NOT NULL,
	"verifier" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"next_path" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "recording_imports" ADD CONSTRAINT "recording_imports_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_accounts" ADD CONSTRAINT "service_accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_flows" ADD CONSTRAINT "service_flows_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "recording_imports_file" ON "recording_imports" USING btree ("service","file_id");--> statement-breakpoint
CREATE INDEX "service_flows_expiry" ON "service_flows" USING btree ("expires_at");