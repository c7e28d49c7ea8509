CREATE TABLE "removed_reviewers" (
	"id" text PRIMARY KEY NOT NULL,
	"review_id" text NOT NULL,
	"kind" text NOT NULL,
	"principal_id" text NOT NULL,
	"role" text NOT NULL,
	"added_at" timestamp with time zone NOT NULL,
	"removed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "removed_reviewers" ADD CONSTRAINT "removed_reviewers_review_id_reviews_id_fk" FOREIGN KEY ("review_id") REFERENCES "public"."reviews"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "removed_reviewers_review" ON "removed_reviewers" USING btree ("review_id");