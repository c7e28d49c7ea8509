ALTER TABLE "intakes" ADD COLUMN "transcript_entered" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "intakes" ADD COLUMN "payer_id" text;--> statement-breakpoint
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_payer_id_users_id_fk" FOREIGN KEY ("payer_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "intakes_payer" ON "intakes" USING btree ("payer_id") WHERE "intakes"."payer_id" is not null;--> statement-breakpoint
-- Of what is being processed at this moment, whoever owns it was believed to have paid.
UPDATE "intakes" SET "payer_id" = "owner_id" WHERE "minutes_held" > 0;
