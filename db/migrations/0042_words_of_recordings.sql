CREATE TABLE "search_passages" (
	"room" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"braces" boolean NOT NULL,
	"meeting_id" text NOT NULL,
	"audience" text NOT NULL,
	"from_ms" integer,
	"body" text NOT NULL,
	"segments" text[] NOT NULL,
	"times" "bytea" NOT NULL,
	"type" text,
	"grade" integer,
	"lexemes" "tsvector" NOT NULL,
	"digest" "bytea" NOT NULL,
	CONSTRAINT "search_passages_room_kind_key_braces_pk" PRIMARY KEY("room","kind","key","braces")
);
--> statement-breakpoint
CREATE TABLE "search_rooms" (
	"room" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"audience" text NOT NULL,
	"generation" integer NOT NULL,
	"version" bigint NOT NULL,
	"tokens" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_words" (
	"room" text NOT NULL,
	"braces" boolean NOT NULL,
	"part" smallint NOT NULL,
	"meeting_id" text NOT NULL,
	"audience" text NOT NULL,
	"lexemes" "tsvector" NOT NULL,
	CONSTRAINT "search_words_room_braces_part_pk" PRIMARY KEY("room","braces","part")
);
--> statement-breakpoint
ALTER TABLE "search_passages" ADD CONSTRAINT "search_passages_room_search_rooms_room_fk" FOREIGN KEY ("room") REFERENCES "public"."search_rooms"("room") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_rooms" ADD CONSTRAINT "search_rooms_room_rooms_name_fk" FOREIGN KEY ("room") REFERENCES "public"."rooms"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_words" ADD CONSTRAINT "search_words_room_search_rooms_room_fk" FOREIGN KEY ("room") REFERENCES "public"."search_rooms"("room") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "search_passages_lexemes" ON "search_passages" USING gin ("lexemes") WITH (gin_pending_list_limit=512);--> statement-breakpoint
CREATE INDEX "search_passages_meeting" ON "search_passages" USING btree ("meeting_id","from_ms");--> statement-breakpoint
CREATE INDEX "search_passages_outcomes" ON "search_passages" USING btree ("type","grade");--> statement-breakpoint
CREATE INDEX "search_rooms_meeting" ON "search_rooms" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "search_words_lexemes" ON "search_words" USING gin ("lexemes") WITH (gin_pending_list_limit=512);
--> statement-breakpoint
-- Vectors are long and are read by their index alone: out of the table, where they would fill its pages.
ALTER TABLE "search_words" SET (toast_tuple_target = 128);
--> statement-breakpoint
-- Stems without lists of stop words: each word that was said can be found.
CREATE TEXT SEARCH DICTIONARY said_en (TEMPLATE = pg_catalog.snowball, Language = english);
--> statement-breakpoint
CREATE TEXT SEARCH DICTIONARY said_es (TEMPLATE = pg_catalog.snowball, Language = spanish);
--> statement-breakpoint
CREATE TEXT SEARCH DICTIONARY said_ru (TEMPLATE = pg_catalog.snowball, Language = russian);
--> statement-breakpoint
-- Stem of a word in a language of these; null in others.
CREATE FUNCTION said_stem(word text, lang text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE lang
    WHEN 'en' THEN (ts_lexize('said_en', word))[1]
    WHEN 'es' THEN (ts_lexize('said_es', word))[1]
    WHEN 'ru' THEN (ts_lexize('said_ru', word))[1]
  END
$$;
--> statement-breakpoint
-- Recordings that say a word. PostgreSQL does not reckon with what reading long vectors costs, and would read the table for
-- a common word.
CREATE FUNCTION meetings_saying(asked tsquery, audiences text[]) RETURNS TABLE (meeting_id text, braces boolean, audience text)
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT DISTINCT w.meeting_id, w.braces, w.audience FROM search_words w
  WHERE w.lexemes @@ asked AND w.audience = ANY (audiences)
$$;
--> statement-breakpoint
-- Recordings that say words in a row, by the positions in their passages.
CREATE FUNCTION meetings_saying_in_a_row(asked tsquery, audiences text[]) RETURNS TABLE (meeting_id text, braces boolean, audience text)
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT DISTINCT p.meeting_id, p.braces, p.audience FROM search_passages p
  WHERE p.lexemes @@ asked AND p.audience = ANY (audiences)
$$;
--> statement-breakpoint
-- What begins another generation takes the words of the old one out of search in its own transaction.
CREATE FUNCTION search_forget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_rooms WHERE room = NEW.name;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER rooms_search_forget AFTER UPDATE OF generation ON rooms
  FOR EACH ROW WHEN (OLD.generation <> NEW.generation) EXECUTE FUNCTION search_forget();
