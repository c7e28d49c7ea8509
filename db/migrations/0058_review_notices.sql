CREATE TABLE "review_notices" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"what" text NOT NULL,
	"by_id" text,
	"meeting_id" text NOT NULL,
	"review_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"told_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "review_notices" ADD CONSTRAINT "review_notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_notices" ADD CONSTRAINT "review_notices_by_id_users_id_fk" FOREIGN KEY ("by_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_notices" ADD CONSTRAINT "review_notices_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "review_notices" ADD CONSTRAINT "review_notices_review_id_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."reviews"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "review_notices_person" ON "review_notices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "review_notices_by" ON "review_notices" USING btree ("by_id");--> statement-breakpoint
CREATE INDEX "review_notices_meeting" ON "review_notices" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "review_notices_review" ON "review_notices" USING btree ("review_id");--> statement-breakpoint
CREATE INDEX "review_notices_told" ON "review_notices" USING btree ("told_at");