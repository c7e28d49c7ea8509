CREATE TABLE "ai_verdicts" (
	"layer_id" text NOT NULL,
	"user_id" text NOT NULL,
	"type" text NOT NULL,
	"meeting_id" text NOT NULL,
	"grade" integer NOT NULL,
	"parts" jsonb NOT NULL,
	"why" text NOT NULL,
	"model" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "ai_verdicts_layer_id_user_id_type_pk" PRIMARY KEY("layer_id","user_id","type")
);
--> statement-breakpoint
ALTER TABLE "ai_runs" ADD COLUMN "outcome_type" text;--> statement-breakpoint
ALTER TABLE "ai_runs" ADD COLUMN "layer_id" text;--> statement-breakpoint
ALTER TABLE "ai_verdicts" ADD CONSTRAINT "ai_verdicts_layer_id_layers_id_fk" FOREIGN KEY ("layer_id") REFERENCES "public"."layers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_verdicts" ADD CONSTRAINT "ai_verdicts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_verdicts" ADD CONSTRAINT "ai_verdicts_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ai_verdicts_user" ON "ai_verdicts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "ai_verdicts_meeting" ON "ai_verdicts" USING btree ("meeting_id");--> statement-breakpoint
ALTER TABLE "ai_runs" ADD CONSTRAINT "ai_runs_layer_id_layers_id_fk" FOREIGN KEY ("layer_id") REFERENCES "public"."layers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ai_runs_layer" ON "ai_runs" USING btree ("layer_id");--> statement-breakpoint
ALTER TABLE "ai_runs" ADD COLUMN "annotations" boolean DEFAULT false NOT NULL;