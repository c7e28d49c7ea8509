CREATE TABLE "ai_decisions" (
	"suggestion_id" text NOT NULL,
	"layer_id" text NOT NULL,
	"user_id" text NOT NULL,
	"state" text NOT NULL,
	"reject_reason" text,
	"outcome_id" text,
	CONSTRAINT "ai_decisions_suggestion_id_layer_id_user_id_pk" PRIMARY KEY("suggestion_id","layer_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "ai_suggestions" ADD COLUMN "layer_id" text;--> statement-breakpoint
ALTER TABLE "ai_decisions" ADD CONSTRAINT "ai_decisions_suggestion_id_ai_suggestions_id_fk" FOREIGN KEY ("suggestion_id") REFERENCES "public"."ai_suggestions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_decisions" ADD CONSTRAINT "ai_decisions_layer_id_layers_id_fk" FOREIGN KEY ("layer_id") REFERENCES "public"."layers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_decisions" ADD CONSTRAINT "ai_decisions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ai_decisions_layer" ON "ai_decisions" USING btree ("layer_id");--> statement-breakpoint
CREATE INDEX "ai_decisions_user" ON "ai_decisions" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "ai_suggestions" ADD CONSTRAINT "ai_suggestions_layer_id_layers_id_fk" FOREIGN KEY ("layer_id") REFERENCES "public"."layers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ai_suggestions_layer" ON "ai_suggestions" USING btree ("layer_id");