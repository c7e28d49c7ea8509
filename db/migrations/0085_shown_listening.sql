-- People can show what they have listened to, and what no review asks for is kept for those alone who show it.
ALTER TABLE "listened" ADD COLUMN "shared" boolean DEFAULT false NOT NULL;--> statement-breakpoint
DELETE FROM "listened" h USING "layers" l, "reviews" r
  WHERE l.id = h.layer_id AND r.id = l.review_id AND r.coverage IS NULL;
