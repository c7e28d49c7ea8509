CREATE TABLE "billing_profiles" (
	"user_id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"address" jsonb NOT NULL,
	"tax_ids" jsonb NOT NULL,
	"customer" text
);
--> statement-breakpoint
CREATE TABLE "payment_calls" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"object" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_house" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" text NOT NULL,
	"mode" text,
	CONSTRAINT "payment_house_one" CHECK (one)
);
--> statement-breakpoint
CREATE TABLE "promo_codes" (
	"code" text PRIMARY KEY NOT NULL,
	"bonus" bigint NOT NULL,
	"least" bigint NOT NULL,
	"use_limit" integer NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone,
	CONSTRAINT "promo_codes_used" CHECK (used >= 0 and used <= use_limit and bonus > 0 and least >= 0)
);
--> statement-breakpoint
CREATE TABLE "promo_uses" (
	"code" text NOT NULL,
	"purse_id" text NOT NULL,
	"purchase_id" text NOT NULL,
	CONSTRAINT "promo_uses_code_purse_id_pk" PRIMARY KEY("code","purse_id")
);
--> statement-breakpoint
CREATE TABLE "purchases" (
	"id" text PRIMARY KEY NOT NULL,
	"purse_id" text NOT NULL,
	"request_id" text NOT NULL,
	"plan" text,
	"amount" bigint NOT NULL,
	"bonus" bigint DEFAULT 0 NOT NULL,
	"promo_code" text,
	"tax" bigint DEFAULT 0 NOT NULL,
	"state" text NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"checkout_id" text,
	"payment_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"paid_at" timestamp with time zone,
	CONSTRAINT "purchases_checkout_id_unique" UNIQUE("checkout_id"),
	CONSTRAINT "purchases_amount" CHECK (amount > 0 and bonus >= 0 and tax >= 0),
	CONSTRAINT "purchases_state" CHECK (state in ('begun', 'open', 'pending', 'paid', 'expired', 'unclaimed'))
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"purse_id" text NOT NULL,
	"plan" text NOT NULL,
	"service_id" text,
	"state" text NOT NULL,
	"cancelled" boolean NOT NULL,
	"period_end" timestamp with time zone NOT NULL,
	"bill_url" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "subscriptions_service_id_unique" UNIQUE("service_id"),
	CONSTRAINT "subscriptions_state" CHECK (state in ('active', 'past_due', 'ended'))
);
--> statement-breakpoint
ALTER TABLE "billing_profiles" ADD CONSTRAINT "billing_profiles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promo_uses" ADD CONSTRAINT "promo_uses_code_promo_codes_code_fk" FOREIGN KEY ("code") REFERENCES "public"."promo_codes"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promo_uses" ADD CONSTRAINT "promo_uses_purse_id_purses_id_fk" FOREIGN KEY ("purse_id") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promo_uses" ADD CONSTRAINT "promo_uses_purchase_id_purchases_id_fk" FOREIGN KEY ("purchase_id") REFERENCES "public"."purchases"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "purchases" ADD CONSTRAINT "purchases_purse_id_purses_id_fk" FOREIGN KEY ("purse_id") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_purse_id_purses_id_fk" FOREIGN KEY ("purse_id") REFERENCES "public"."purses"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_calls_object" ON "payment_calls" USING btree ("kind","object");--> statement-breakpoint
CREATE INDEX "payment_calls_next" ON "payment_calls" USING btree ("next_at");--> statement-breakpoint
CREATE UNIQUE INDEX "purchases_request" ON "purchases" USING btree ("purse_id","request_id");--> statement-breakpoint
CREATE INDEX "purchases_waiting" ON "purchases" USING btree ("created_at") WHERE state in ('begun', 'open', 'pending');--> statement-breakpoint
CREATE INDEX "purchases_purse" ON "purchases" USING btree ("purse_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one" ON "subscriptions" USING btree ("purse_id","plan") WHERE state <> 'ended';--> statement-breakpoint
-- Name of this database at the payment service; other databases may use the same account there.
INSERT INTO payment_house (id) VALUES (gen_random_uuid()::text);
