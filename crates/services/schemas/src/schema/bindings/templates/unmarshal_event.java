
    public static <T> AWSEvent<T> unmarshalEvent(InputStream input, Class<T> detail) throws IOException {
        return MAPPER.readValue(input, MAPPER.getTypeFactory().constructParametricType(AWSEvent.class, detail));
    }
