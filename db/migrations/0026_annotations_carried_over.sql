CREATE TABLE "room_renewals" (
	"room" text NOT NULL,
	"generation" integer NOT NULL,
	"carried_at" timestamp with time zone,
	"kept" integer DEFAULT 0 NOT NULL,
	"lost" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "room_renewals_room_generation_pk" PRIMARY KEY("room","generation")
);
--> statement-breakpoint
ALTER TABLE "room_renewals" ADD CONSTRAINT "room_renewals_room_rooms_name_fk" FOREIGN KEY ("room") REFERENCES "public"."rooms"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "room_renewals_waiting" ON "room_renewals" USING btree ("room") WHERE carried_at is null;--> statement-breakpoint
-- Annotations of transcripts that were renewed before this are carried over by housekeeping.
INSERT INTO "room_renewals" ("room", "generation") SELECT "name", "generation" FROM "rooms" WHERE "part" = 'transcript' AND "generation" > 1;
