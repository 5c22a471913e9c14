
// UnmarshalEvent returns the event that a JSON object describes.
func UnmarshalEvent(data []byte) (AWSEvent, error) {
	var event AWSEvent
	err := json.Unmarshal(data, &event)
	return event, err
}
