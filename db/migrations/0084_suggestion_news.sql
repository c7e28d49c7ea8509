-- Pages of an assessment follow what a language model suggests there, as they follow assessments.
CREATE TRIGGER suggestion_news AFTER INSERT ON ai_suggestions FOR EACH ROW
  WHEN (NEW.layer_id IS NOT NULL) EXECUTE FUNCTION tell_layer_changed();
