CREATE TABLE "meeting_access" (
	"meeting_id" text NOT NULL,
	"kind" text NOT NULL,
	"principal_id" text NOT NULL,
	"permissions" text[] NOT NULL,
	CONSTRAINT "meeting_access_meeting_id_kind_principal_id_pk" PRIMARY KEY("meeting_id","kind","principal_id")
);
--> statement-breakpoint
CREATE TABLE "meetings" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "room_clients" (
	"room" text NOT NULL,
	"generation" integer NOT NULL,
	"client_id" bigint NOT NULL,
	"user_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "room_clients_room_generation_client_id_pk" PRIMARY KEY("room","generation","client_id")
);
--> statement-breakpoint
CREATE TABLE "room_snapshots" (
	"room" text NOT NULL,
	"generation" integer NOT NULL,
	"seq" bigint NOT NULL,
	"bytes" "bytea" NOT NULL,
	"checksum" "bytea" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "room_snapshots_room_generation_seq_pk" PRIMARY KEY("room","generation","seq")
);
--> statement-breakpoint
CREATE TABLE "room_updates" (
	"room" text NOT NULL,
	"generation" integer NOT NULL,
	"seq" bigint NOT NULL,
	"user_id" text,
	"client_ids" bigint[],
	"bytes" "bytea" NOT NULL,
	"checksum" "bytea" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "room_updates_room_generation_seq_pk" PRIMARY KEY("room","generation","seq")
);
--> statement-breakpoint
CREATE TABLE "rooms" (
	"name" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"part" text NOT NULL,
	"owner_id" text,
	"generation" integer DEFAULT 1 NOT NULL,
	"seq" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "meeting_access" ADD CONSTRAINT "meeting_access_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_clients" ADD CONSTRAINT "room_clients_room_rooms_name_fk" FOREIGN KEY ("room") REFERENCES "public"."rooms"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_snapshots" ADD CONSTRAINT "room_snapshots_room_rooms_name_fk" FOREIGN KEY ("room") REFERENCES "public"."rooms"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_updates" ADD CONSTRAINT "room_updates_room_rooms_name_fk" FOREIGN KEY ("room") REFERENCES "public"."rooms"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rooms" ADD CONSTRAINT "rooms_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rooms" ADD CONSTRAINT "rooms_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "meeting_access_principal" ON "meeting_access" USING btree ("kind","principal_id");--> statement-breakpoint
CREATE INDEX "meetings_owner" ON "meetings" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "room_clients_user" ON "room_clients" USING btree ("room","generation","user_id");--> statement-breakpoint
CREATE INDEX "room_updates_at" ON "room_updates" USING btree ("at");--> statement-breakpoint
CREATE INDEX "rooms_meeting" ON "rooms" USING btree ("meeting_id");