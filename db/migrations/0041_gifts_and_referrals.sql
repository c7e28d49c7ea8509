CREATE TABLE "gifts" (
	"id" text PRIMARY KEY NOT NULL,
	"from_purse" text NOT NULL,
	"to_purse" text,
	"email" text,
	"email_key" text,
	"amount" bigint NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "gifts_amount" CHECK (amount > 0),
	CONSTRAINT "gifts_state" CHECK (state in ('waiting', 'taken', 'returned') and (state = 'taken') = (to_purse is not null))
);
--> statement-breakpoint
CREATE TABLE "referral_links" (
	"user_id" text PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	CONSTRAINT "referral_links_code_unique" UNIQUE("code")
);
--> statement-breakpoint
CREATE TABLE "referrals" (
	"user_id" text PRIMARY KEY NOT NULL,
	"purse_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "identity_flows" ADD COLUMN "referral" text;--> statement-breakpoint
ALTER TABLE "gifts" ADD CONSTRAINT "gifts_from_purse_purses_id_fk" FOREIGN KEY ("from_purse") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "gifts" ADD CONSTRAINT "gifts_to_purse_purses_id_fk" FOREIGN KEY ("to_purse") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referral_links" ADD CONSTRAINT "referral_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referrals" ADD CONSTRAINT "referrals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "referrals" ADD CONSTRAINT "referrals_purse_id_purses_id_fk" FOREIGN KEY ("purse_id") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "gifts_address" ON "gifts" USING btree ("email_key") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "gifts_expiry" ON "gifts" USING btree ("expires_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "gifts_received" ON "gifts" USING btree ("to_purse");