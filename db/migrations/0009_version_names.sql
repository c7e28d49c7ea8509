CREATE TABLE "room_origins" (
	"room" text NOT NULL,
	"generation" integer NOT NULL,
	"from_generation" integer NOT NULL,
	"from_seq" bigint NOT NULL,
	CONSTRAINT "room_origins_room_generation_pk" PRIMARY KEY("room","generation")
);
--> statement-breakpoint
CREATE TABLE "version_names" (
	"meeting_id" text NOT NULL,
	"version" bigint NOT NULL,
	"name" text NOT NULL,
	"user_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "version_names_meeting_id_version_pk" PRIMARY KEY("meeting_id","version")
);
--> statement-breakpoint
ALTER TABLE "room_origins" ADD CONSTRAINT "room_origins_room_rooms_name_fk" FOREIGN KEY ("room") REFERENCES "public"."rooms"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "version_names" ADD CONSTRAINT "version_names_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;