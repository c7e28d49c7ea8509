CREATE TABLE "allowances" (
	"group_id" text NOT NULL,
	"user_id" text NOT NULL,
	"quota" bigint,
	"own" boolean DEFAULT false NOT NULL,
	"used" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "allowances_group_id_user_id_pk" PRIMARY KEY("group_id","user_id"),
	CONSTRAINT "allowances_used" CHECK ("allowances"."used" >= 0 and "allowances"."used" <= "allowances"."quota")
);
--> statement-breakpoint
CREATE TABLE "former_members" (
	"group_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"joined_at" timestamp with time zone NOT NULL,
	"left_at" timestamp with time zone NOT NULL,
	"removed_by" text,
	CONSTRAINT "former_members_group_id_user_id_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"group_id" text PRIMARY KEY NOT NULL,
	"payer_id" text,
	"asked_payer_id" text,
	"default_quota" bigint,
	"max_duration_mins" integer,
	"balance_threshold" bigint DEFAULT 10000000,
	"low_since" timestamp with time zone,
	"upload_mails" text DEFAULT 'off' NOT NULL,
	"force_account_type" text,
	"force_outcome_model" text,
	"hide_builtin_models" boolean DEFAULT false NOT NULL,
	"invitation_email" text DEFAULT '' NOT NULL,
	"assessment_email" text DEFAULT '' NOT NULL,
	"no_welcome_email" boolean DEFAULT false NOT NULL,
	"assessment_mails" text DEFAULT 'once' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "quota" bigint;--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "models" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "allowances" ADD CONSTRAINT "allowances_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "allowances" ADD CONSTRAINT "allowances_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_members" ADD CONSTRAINT "former_members_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_members" ADD CONSTRAINT "former_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_members" ADD CONSTRAINT "former_members_removed_by_users_id_fk" FOREIGN KEY ("removed_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_payer_id_users_id_fk" FOREIGN KEY ("payer_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "teams" ADD CONSTRAINT "teams_asked_payer_id_users_id_fk" FOREIGN KEY ("asked_payer_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "allowances_user" ON "allowances" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "former_members_user" ON "former_members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "teams_payer" ON "teams" USING btree ("payer_id");--> statement-breakpoint
CREATE INDEX "holds_group" ON "holds" USING btree ("group_id") WHERE state = 'open' and group_id is not null;--> statement-breakpoint
CREATE INDEX "ledger_postings_group" ON "ledger_postings" USING btree ("group_id","at") WHERE group_id is not null;
--> statement-breakpoint
-- Nobody has agreed to pay for the teams there are: an admin of each does by naming themselves.
INSERT INTO "teams" ("group_id") SELECT "id" FROM "groups" WHERE "type" = 'team';--> statement-breakpoint
INSERT INTO "allowances" ("group_id", "user_id")
  SELECT m."group_id", m."user_id" FROM "group_members" m JOIN "teams" t ON t."group_id" = m."group_id";
