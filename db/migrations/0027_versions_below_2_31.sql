ALTER TABLE "rooms" ADD COLUMN "base" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "rooms" r SET "base" = b.base FROM (
  SELECT l.room, sum(l.last) AS base FROM (
    SELECT u.room, u.generation, max(u.seq) AS last FROM room_updates u
    JOIN rooms n ON n.name = u.room AND u.generation < n.generation GROUP BY u.room, u.generation
  ) l GROUP BY l.room
) b WHERE b.room = r.name;
--> statement-breakpoint
-- Versions were (generation - 1) * 2^32 and the rows of the generation. Now they go on behind those of the generations before.
CREATE TEMPORARY TABLE "version_bases" ON COMMIT DROP AS
  SELECT r.meeting_id, g.generation, coalesce(sum(l.last), 0)::bigint AS base
  FROM rooms r CROSS JOIN LATERAL generate_series(2, r.generation) AS g(generation)
  LEFT JOIN LATERAL (
    SELECT max(u.seq) AS last FROM room_updates u WHERE u.room = r.name AND u.generation < g.generation GROUP BY u.generation
  ) l ON true
  WHERE r.part = 'transcript' AND r.generation > 1 GROUP BY r.meeting_id, g.generation;
--> statement-breakpoint
UPDATE "version_names" v SET "version" = b.base + (v.version & 4294967295) FROM "version_bases" b
  WHERE b.meeting_id = v.meeting_id AND b.generation = (v.version >> 32) + 1;
--> statement-breakpoint
UPDATE "meetings" m SET "acl_version" = b.base + (m.acl_version & 4294967295) FROM "version_bases" b
  WHERE b.meeting_id = m.id AND b.generation = (m.acl_version >> 32) + 1;
--> statement-breakpoint
UPDATE "meeting_projections" p SET "version" = b.base + (p.version & 4294967295) FROM "version_bases" b
  WHERE b.meeting_id = p.meeting_id AND b.generation = (p.version >> 32) + 1;
