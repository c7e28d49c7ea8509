-- Recordings that say a word, as often as forms of it stand in them: those who ask look ids up, and need no sorted list.
CREATE OR REPLACE FUNCTION meetings_saying(asked tsquery, audiences text[]) RETURNS TABLE (meeting_id text, braces boolean, audience text)
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT w.meeting_id, w.braces, w.audience FROM search_words w
  WHERE w.lexemes @@ asked AND w.audience = ANY (audiences)
$$;
