ALTER TABLE "reviews" ADD COLUMN "asked_types" text[];--> statement-breakpoint
-- Reviews that somebody has begun, or that are open, keep the types that their set offers now.
UPDATE reviews r SET asked_types = ARRAY(
  SELECT t.type ->> 'id' FROM outcome_models m, jsonb_array_elements(m.types) WITH ORDINALITY AS t(type, nth)
  WHERE m.id = r.outcome_model AND NOT (t.type ->> 'retired')::boolean ORDER BY t.nth
)
WHERE r.outcome_model IN (SELECT id FROM outcome_models)
  AND (r.opened_at IS NOT NULL OR EXISTS (SELECT FROM reviewers p WHERE p.review_id = r.id AND p.status <> 'new'));
