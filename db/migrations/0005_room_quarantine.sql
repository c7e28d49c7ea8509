CREATE TABLE "room_quarantine" (
	"room" text NOT NULL,
	"generation" integer NOT NULL,
	"kind" text NOT NULL,
	"seq" bigint NOT NULL,
	"why" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "room_quarantine_room_generation_kind_seq_pk" PRIMARY KEY("room","generation","kind","seq")
);
--> statement-breakpoint
ALTER TABLE "rooms" ADD COLUMN "mends" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "room_quarantine" ADD CONSTRAINT "room_quarantine_room_rooms_name_fk" FOREIGN KEY ("room") REFERENCES "public"."rooms"("name") ON DELETE cascade ON UPDATE no action;