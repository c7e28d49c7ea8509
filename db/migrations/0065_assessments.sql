CREATE INDEX "layers_deleted" ON "layers" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "reviews_deleted" ON "reviews" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
-- Pages that show figures of assessments follow them; server/meetings/news.ts tells their readers alone.
CREATE FUNCTION tell_layer_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_layer', NEW.layer_id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER rooms_layer_news AFTER UPDATE OF seq, generation, mends ON rooms FOR EACH ROW
  WHEN (NEW.part = 'layer' AND NEW.layer_id IS NOT NULL) EXECUTE FUNCTION tell_layer_changed();
--> statement-breakpoint
CREATE TABLE "listened" (
	"layer_id" text NOT NULL,
	"user_id" text NOT NULL,
	"heard" "int4multirange" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "listened_layer_id_user_id_pk" PRIMARY KEY("layer_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "coverage" integer;--> statement-breakpoint
ALTER TABLE "listened" ADD CONSTRAINT "listened_layer_id_layers_id_fk" FOREIGN KEY ("layer_id") REFERENCES "public"."layers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "listened" ADD CONSTRAINT "listened_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "listened_user" ON "listened" USING btree ("user_id");