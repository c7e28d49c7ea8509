CREATE TABLE "glossaries" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"folder_id" text,
	"group_id" text,
	CONSTRAINT "glossaries_user" UNIQUE("user_id"),
	CONSTRAINT "glossaries_folder" UNIQUE("folder_id"),
	CONSTRAINT "glossaries_group" UNIQUE("group_id"),
	CONSTRAINT "glossaries_one_owner" CHECK (num_nonnulls("glossaries"."user_id", "glossaries"."folder_id", "glossaries"."group_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "glossary_terms" (
	"glossary_id" text NOT NULL,
	"term" text NOT NULL,
	"heard" text DEFAULT '' NOT NULL,
	"term_key" text NOT NULL,
	"heard_key" text DEFAULT '' NOT NULL,
	"added_by" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "glossary_terms_glossary_id_term_heard_pk" PRIMARY KEY("glossary_id","term","heard")
);
--> statement-breakpoint
ALTER TABLE "glossaries" ADD CONSTRAINT "glossaries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "glossaries" ADD CONSTRAINT "glossaries_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "glossaries" ADD CONSTRAINT "glossaries_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "glossary_terms" ADD CONSTRAINT "glossary_terms_glossary_id_glossaries_id_fk" FOREIGN KEY ("glossary_id") REFERENCES "public"."glossaries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "glossary_terms" ADD CONSTRAINT "glossary_terms_added_by_users_id_fk" FOREIGN KEY ("added_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "glossary_terms_term" ON "glossary_terms" USING btree ("term_key","glossary_id");--> statement-breakpoint
CREATE INDEX "glossary_terms_heard" ON "glossary_terms" USING btree ("heard_key","glossary_id");--> statement-breakpoint
CREATE INDEX "glossary_terms_added_by" ON "glossary_terms" USING btree ("added_by");